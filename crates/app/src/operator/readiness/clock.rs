//! The check of the clock: nothing in the database is of the future.

use super::Finding;
use super::facts::Installation;
use super::newest::is_ahead;

pub(super) fn clock(installation: &Installation) -> Finding {
    match installation.newest_row.filter(|newest| is_ahead(*newest, installation.now)) {
        Some(newest) => Finding::stop(
            format!(
                "The clock says {}, but the database has rows of {}.",
                installation.now.format("%Y-%m-%d %H:%M UTC"),
                newest.format("%Y-%m-%d %H:%M UTC")
            ),
            "Set the clock of this machine: windows, leases and tokens depend on it.",
        ),
        None => Finding::ok("The clock is not behind the database."),
    }
}
