use crate::Rule;
use crate::country::COUNTRIES;
use cutover_core::Code;

/// Every rule, in the order of the catalogue.
pub static RULES: &[Rule] = &ALL;

/// The rules of each folder, in the order of the catalogue.
const FOLDERS: &[&[Rule]] = &[
    &crate::structure::RULES,
    crate::account::RULES,
    crate::customer::RULES,
    crate::address::RULES,
    crate::meter_point::RULES,
    crate::agreement::RULES,
    crate::meter::RULES,
    crate::reading::RULES,
    crate::ledger::RULES,
    crate::transaction::RULES,
    crate::instruction::RULES,
    crate::schedule::RULES,
    crate::document::RULES,
    crate::statement::RULES,
    crate::event::RULES,
    crate::note::RULES,
    crate::business::RULES,
    crate::window::RULES,
    crate::service::RULES,
    crate::quality::RULES,
];

/// The number of lists of rules: those of the folders, then those of the countries.
const LISTS: usize = FOLDERS.len() + COUNTRIES.len();

const fn list(index: usize) -> &'static [Rule] {
    if index < FOLDERS.len() { FOLDERS[index] } else { COUNTRIES[index - FOLDERS.len()].rules }
}

static ALL: [Rule; count()] = {
    let mut all = [Rule::OF_PAYLOAD; count()];
    let (mut index, mut next) = (0, 0);
    while index < LISTS {
        let mut i = 0;
        while i < list(index).len() {
            all[next] = list(index)[i];
            (i, next) = (i + 1, next + 1);
        }
        index += 1;
    }
    all
};

const fn count() -> usize {
    let (mut index, mut count) = (0, 0);
    while index < LISTS {
        count += list(index).len();
        index += 1;
    }
    count
}

/// Returns the rules that give a code, in the order of the catalogue.
pub fn rules_with(code: Code) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.codes.contains(&code))
}

/// Returns the rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id.0 == id)
}
