use super::column::ColumnProfile;
use super::distinct::Room;
use super::spread::Spread;
use cutover_model::tables::{Cell, Tables};

/// What tables have, row by row. The rows of an account follow each other.
pub(super) struct Profile<'t> {
    tables: &'t Tables,
    pub(super) profiles: Vec<TableProfile>,
    /// Accounts so far, the current one included.
    pub(super) accounts: u64,
    room: Room,
}

/// The statistics of a table.
#[derive(Debug, Default)]
pub(super) struct TableProfile {
    pub(super) rows: u64,
    /// Rows of the current account.
    of_account: u64,
    pub(super) spread: Spread,
    pub(super) columns: Vec<ColumnProfile>,
}

impl<'t> Profile<'t> {
    pub(super) fn new(tables: &'t Tables) -> Self {
        let profile = |columns: usize| TableProfile {
            columns: (0..columns).map(|_| ColumnProfile::default()).collect(),
            ..TableProfile::default()
        };
        let profiles = tables.iter().map(|table| profile(table.columns.len())).collect();
        Self { tables, profiles, accounts: 0, room: Room::default() }
    }

    /// Begins the next account.
    pub(super) fn account(&mut self) {
        self.end_account();
        self.accounts += 1;
    }

    /// Takes a row of the current account.
    pub(super) fn row(&mut self, table: usize, cells: &[Cell<'_>]) {
        let (Some(of), Some(profile)) = (self.tables.get(table), self.profiles.get_mut(table)) else {
            return;
        };
        profile.rows += 1;
        profile.of_account += 1;
        for ((column, cell), profile) in of.columns.iter().zip(cells).zip(&mut profile.columns) {
            profile.see(column, cell, &mut self.room);
        }
    }

    /// Ends the last account.
    pub(super) fn end_account(&mut self) {
        if self.accounts > 0 {
            for profile in &mut self.profiles {
                profile.spread.see(std::mem::take(&mut profile.of_account));
            }
        }
    }
}
