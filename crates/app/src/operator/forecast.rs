//! Forecasts: the time that waiting accounts need at the rate of the last stretch of work (contract D16).

use crate::account::Pace;
use crate::gate::AfterHold;
use crate::port::{Gate, Supplier};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_model::rust_decimal::Decimal;

/// The time that accounts need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastPart {
    /// Number of accounts.
    pub accounts: u64,
    /// The time that they need; `None` if no rate is known.
    pub time: Option<TimeDelta>,
    /// The end, if they begin now.
    pub finish_at: Option<DateTime<Utc>>,
}

/// The forecast of a supplier's imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Accounts that ended per minute in the last stretch of work; `None` if none has ended yet.
    pub rate_per_minute: Option<Decimal>,
    /// The running wave, or while the supplier is held the one that runs after a release, with its number; `None` without
    /// waves.
    pub wave: Option<(u32, ForecastPart)>,
    /// The wave after the one of the gate, with which a release can begin on purpose; `None` without waves.
    pub next_wave: Option<(u32, ForecastPart)>,
    /// All accounts that wait, if every wave is released at once.
    pub whole: ForecastPart,
}

/// Numbers of accounts that have not ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) pending: u64,
    pub(super) running: u64,
}

impl Left {
    pub(super) fn all(self) -> u64 {
        self.pending + self.running
    }
}

impl Forecast {
    pub(super) fn new(
        supplier: &Supplier,
        gate: Option<(&Gate, AfterHold)>,
        left: Left,
        pace: Option<&Pace>,
        now: DateTime<Utc>,
    ) -> Self {
        let part = |accounts| {
            let time = pace.and_then(|pace| pace.time_for(accounts));
            let finish_at = time.and_then(|time| now.checked_add_signed(time));
            ForecastPart { accounts, time, finish_at }
        };
        Self {
            rate_per_minute: pace.map(Pace::per_minute),
            wave: gate.and_then(|gate| wave(supplier, gate, left)).map(|(n, accounts)| (n, part(accounts))),
            next_wave: gate
                .and_then(|(gate, _)| begun(supplier, gate.wave.saturating_add(1), 0, left))
                .map(|(n, accounts)| (n, part(accounts))),
            whole: part(left.all()),
        }
    }
}

/// Returns the number of the wave that runs, or that runs after a release, and how many of its accounts are left.
fn wave(supplier: &Supplier, (gate, after): (&Gate, AfterHold), left: Left) -> Option<(u32, u64)> {
    let of_running = gate.claimed.saturating_sub(left.running);
    let (wave, claimed) = match (&gate.hold, after) {
        (None, _) | (Some(_), AfterHold::Continue) => (gate.wave, of_running),
        (Some(_), AfterHold::Repeat) => (gate.wave, 0),
        (Some(_), AfterHold::Next) => (gate.wave.saturating_add(1), 0),
    };
    begun(supplier, wave, claimed, left)
}

/// Returns the number of a wave, and how many accounts are left of it after those that it has claimed.
fn begun(supplier: &Supplier, wave: u32, claimed: u64, left: Left) -> Option<(u32, u64)> {
    let waves = &supplier.settings.waves;
    let size = waves.size(wave).map_or(u64::MAX, |size| size.saturating_sub(claimed));
    (!waves.is_none()).then_some((wave, size.min(left.all())))
}

/// Returns a time in its two largest units, for sentences.
pub fn in_words(time: TimeDelta) -> String {
    let (days, hours, minutes) = (time.num_days(), time.num_hours() % 24, time.num_minutes() % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => "less than a minute".to_owned(),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}
