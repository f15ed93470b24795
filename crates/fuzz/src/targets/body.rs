//! Inputs that are request bodies: a letter for the kind, a byte that varies the facts, and the body.

use crate::fixtures::fixtures;
use cutover_core::Zone;
use cutover_testkit::payload::account_json;

/// Kinds of requests, with their letter and the folder of their fixtures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Account,
    Notes,
    Transactions,
    Statements,
    Instruction,
    Business,
    BusinessInstruction,
}

const KINDS: [(u8, &str, Kind); 7] = [
    (b'a', "accounts", Kind::Account),
    (b'n', "notes", Kind::Notes),
    (b't', "transactions", Kind::Transactions),
    (b's', "statements", Kind::Statements),
    (b'p', "payment_instructions", Kind::Instruction),
    (b'b', "businesses", Kind::Business),
    (b'i', "business_payment_instructions", Kind::BusinessInstruction),
];

/// Zones with a positive, no and a negative offset, and one with unusual historical offsets.
const ZONES: [&str; 4] = ["Australia/Sydney", "UTC", "America/St_Johns", "Africa/Monrovia"];

/// An input split into its parts.
pub(crate) struct Body<'i> {
    pub(crate) kind: Kind,
    /// Selects facts, a profile and a zone.
    pub(crate) variation: u8,
    pub(crate) bytes: &'i [u8],
}

impl<'i> Body<'i> {
    pub(crate) fn of(input: &'i [u8]) -> Option<Self> {
        let [letter, variation, bytes @ ..] = input else { return None };
        let named = KINDS.iter().find(|kind| kind.0 == *letter);
        let (_, _, kind) = *named.unwrap_or(&KINDS[usize::from(*letter) % KINDS.len()]);
        Some(Self { kind, variation: *variation, bytes })
    }

    /// Zone of the supplier.
    pub(crate) fn zone(&self) -> Zone {
        ZONES[usize::from(self.variation) % ZONES.len()].parse().unwrap_or(Zone::UTC)
    }
}

/// All fixtures, and some generated accounts.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (letter, folder, _) in KINDS {
        let of_kind = fixtures(folder).into_iter();
        seeds.extend(of_kind.zip(b'0'..).map(|(body, variation)| input(letter, variation, &body)));
    }
    seeds.extend((0..12).map(|seed| input(b'a', seed, account_json(seed.into()).as_bytes())));
    seeds
}

/// The fixtures of accounts.
pub(crate) fn accounts() -> Vec<Vec<u8>> {
    fixtures("accounts").iter().map(|body| input(b'a', b'0', body)).collect()
}

fn input(letter: u8, variation: u8, body: &[u8]) -> Vec<u8> {
    [&[letter, variation], body].concat()
}
