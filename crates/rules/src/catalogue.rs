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
    crate::account::ACC_01,
    crate::account::ACC_02,
    crate::account::ACC_03,
    crate::account::ACC_04,
    crate::account::ACC_05,
    crate::account::ACC_06,
    crate::account::ACC_07,
    crate::account::ACC_08,
    crate::account::ACC_09,
    crate::customer::CUS_01,
    crate::customer::CUS_02,
    crate::customer::CUS_03,
    crate::customer::CUS_04,
    crate::customer::CUS_05,
    crate::customer::CUS_06,
    crate::customer::CUS_07,
    crate::customer::CUS_08,
    crate::customer::CUS_09,
    crate::address::ADR_01,
    crate::address::ADR_05,
    crate::address::ADR_02,
    crate::address::ADR_03,
    crate::address::ADR_04,
    // Meter points and agreements
    crate::meter_point::MPT_01,
    crate::meter_point::MPT_02,
    crate::meter_point::MPT_03,
    crate::meter_point::MPT_04,
    crate::meter_point::MPT_05,
    crate::meter_point::MPT_06,
    crate::meter_point::MPT_07,
    crate::meter_point::MPT_08,
    crate::meter_point::MPT_09,
    crate::meter_point::MPT_10,
    crate::meter_point::MPT_11,
    crate::agreement::AGR_01,
    crate::agreement::AGR_02,
    crate::agreement::AGR_03,
    crate::agreement::AGR_04,
    crate::agreement::AGR_05,
    crate::agreement::AGR_06,
    // Meters, registers, readings
    crate::meter::MTR_01,
    crate::meter::MTR_02,
    crate::meter::MTR_03,
    crate::meter::MTR_04,
    crate::meter::MTR_05,
    crate::meter::MTR_06,
    crate::meter::MTR_07,
    crate::meter::MTR_08,
    crate::meter::MTR_09,
    crate::meter::MTR_10,
    crate::meter::MTR_11,
    crate::meter::MTR_12,
    crate::meter::MTR_13,
    crate::reading::RDG_01,
    crate::reading::RDG_02,
    crate::reading::RDG_03,
    crate::reading::RDG_04,
    crate::reading::RDG_05,
    crate::reading::RDG_06,
    crate::reading::RDG_07,
    // Ledgers and transactions
    crate::ledger::LED_01,
    crate::ledger::LED_02,
    crate::ledger::LED_03,
    crate::ledger::LED_04,
    crate::ledger::LED_05,
    crate::ledger::LED_06,
    crate::ledger::LED_07,
    crate::ledger::LED_08,
    crate::ledger::LED_09,
    crate::ledger::LED_10,
    crate::ledger::LED_11,
    crate::ledger::LED_12,
    crate::ledger::LED_13,
    crate::transaction::TXN_01,
    crate::transaction::TXN_02,
    crate::transaction::TXN_03,
    crate::transaction::TXN_04,
    crate::transaction::TXN_05,
    crate::transaction::TXN_06,
    crate::transaction::TXN_07,
    crate::transaction::TXN_08,
    crate::transaction::TXN_09,
    crate::transaction::TXN_10,
    // Payments, documents, notes, statements, events, business, window
    crate::instruction::PIN_01,
    crate::instruction::PIN_02,
    crate::instruction::PIN_03,
    crate::instruction::PIN_04,
    crate::instruction::PIN_05,
    crate::instruction::PIN_06,
    crate::instruction::PIN_07,
    crate::schedule::SCH_01,
    crate::schedule::SCH_02,
    crate::schedule::SCH_03,
    crate::schedule::SCH_04,
    crate::schedule::SCH_05,
    crate::document::DOC_01,
    crate::statement::STM_01,
    crate::statement::STM_02,
    crate::event::EVT_01,
    crate::note::NOT_01,
    crate::note::NOT_02,
    crate::note::NOT_03,
    crate::note::NOT_04,
    crate::business::BUS_01,
    crate::window::WIN_01,
    crate::window::WIN_02,
    crate::window::WIN_03,
    crate::window::WIN_04,
    // Rules that need stored state
    crate::account::PST_01,
];

/// The rule of an id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id.0 == id)
}
