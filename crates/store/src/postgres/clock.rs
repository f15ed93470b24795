use super::dialect::{Conn, Db};
use super::queries::types::Timestamp;
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Maximum round trip of a measurement: a slower one is too inexact.
const MAX_ROUND_TRIP: Duration = Duration::from_millis(250);

/// The database's clock, which the monotonic clock of this machine advances between measurements. All
/// processes use this one clock for leases and due times, however the clocks of their machines are set.
///
/// Its error is at most half of a round trip plus the drift of a few seconds.
pub(super) struct Clock(RwLock<Measured>);

#[derive(Clone, Copy)]
struct Measured {
    time: DateTime<Utc>,
    at: Instant,
}

statement! {
    Now {} -> columns::Instant = "SELECT clock_timestamp()"
}

impl Measured {
    /// Measures the time in the middle of a round trip. Also returns the duration of the round trip.
    fn take(conn: &mut Conn) -> Result<(Self, Duration)> {
        let begun = Instant::now();
        let time: Timestamp = Now {}.get_result(conn)?;
        let took = begun.elapsed();
        Ok((Self { time: time.instant()?, at: begun + took / 2 }, took))
    }
}

impl Clock {
    pub(super) fn start(conn: &mut Conn) -> Result<Self> {
        // The first statement of a connection takes longer than others.
        Measured::take(conn)?;
        Ok(Self(RwLock::new(Measured::take(conn)?.0)))
    }

    /// Measures the time again.
    pub(super) fn set(&self, conn: &mut Conn) -> Result<()> {
        let (measured, took) = Measured::take(conn)?;
        if took <= MAX_ROUND_TRIP {
            *self.0.write().unwrap_or_else(PoisonError::into_inner) = measured;
        }
        Ok(())
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        let Measured { time, at } = *self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Columns hold microseconds.
        let passed = i64::try_from(at.elapsed().as_micros()).unwrap_or(i64::MAX);
        time.checked_add_signed(TimeDelta::microseconds(passed)).unwrap_or(time)
    }
}
