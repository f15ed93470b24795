use crate::{Rule, structure};

/// Every rule, in the order of the catalogue.
pub static RULES: &[Rule] = &ALL;

static ALL: [Rule; structure::ROWS.len() + SPANNING.len()] = {
    let mut all = [structure::ROWS[0]; structure::ROWS.len() + SPANNING.len()];
    let (field_checks, spanning) = all.split_at_mut(structure::ROWS.len());
    field_checks.copy_from_slice(&structure::ROWS);
    spanning.copy_from_slice(SPANNING);
    all
};

/// The rules that span fields, group by group.
const SPANNING: &[Rule] = &[
    // Account, people, addresses
    crate::customer::CUS_08,
    // Meter points and agreements
    // Meters, registers, readings
    // Ledgers and transactions
    // Payments, documents, notes, statements, events, business, window
    // Rules that need stored state
];

/// The rule of an id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id.0 == id)
}
