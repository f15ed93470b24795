use chrono::NaiveDate;
use cutover_model::{Decimal, Field, List, Presence, Text, draft};

/// One of the two lists of readings of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingList {
    /// `transfer_readings`.
    Transfer,
    /// `reading_history`.
    History,
}

impl ReadingList {
    /// Returns the name of the member.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Transfer => "transfer_readings",
            Self::History => "reading_history",
        }
    }
}

/// A list of readings of any kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Readings<'a, 'j> {
    ElectricityTransfer(&'a Field<List<draft::ElectricityTransferReading<'j>>>),
    ElectricityHistory(&'a Field<List<draft::ElectricityHistoricalReading<'j>>>),
    GasTransfer(&'a Field<List<draft::GasTransferReading<'j>>>),
    GasHistory(&'a Field<List<draft::GasHistoricalReading<'j>>>),
    EmbeddedElectricityTransfer(&'a Field<List<draft::EmbeddedElectricityTransferReading<'j>>>),
    EmbeddedElectricityHistory(&'a Field<List<draft::EmbeddedElectricityHistoricalReading<'j>>>),
    /// Of an embedded gas or water meter.
    EmbeddedTransfer(&'a Field<List<draft::EmbeddedTransferReading<'j>>>),
    /// Of an embedded gas or water meter.
    EmbeddedHistory(&'a Field<List<draft::EmbeddedHistoricalReading<'j>>>),
}

/// The register that was read, or the meter itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    /// Readings of this kind belong to the meter.
    Meter,
    /// The member `register_id` names the register.
    Register(Presence<&'a str>),
}

/// A reading of any kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a, 'j> {
    pub(crate) source: Source<'a>,
    pub(crate) reading_date: &'a Field<NaiveDate>,
    pub(crate) reading_value: &'a Field<Decimal<'j>>,
    pub(crate) prev_reading_date: Option<&'a Field<NaiveDate>>,
    /// Absent for transfer readings; true by default in the history of embedded gas and water.
    pub(crate) billed: Presence<bool>,
}

fn register<'a>(id: &'a Field<Text<'_>>) -> Source<'a> {
    Source::Register(match id.presence() {
        Presence::Usable(id) => Presence::Usable(id.trimmed()),
        Presence::Absent => Presence::Absent,
        Presence::Faulty => Presence::Faulty,
    })
}

fn billed(billed: &Field<bool>) -> Presence<bool> {
    match billed.presence() {
        Presence::Usable(billed) => Presence::Usable(*billed),
        Presence::Absent => Presence::Absent,
        Presence::Faulty => Presence::Faulty,
    }
}

/// Runs the same expression on a list of any kind.
macro_rules! each_kind {
    ($readings:expr, $list:ident => $do:expr) => {
        match $readings {
            Readings::ElectricityTransfer($list) => $do,
            Readings::ElectricityHistory($list) => $do,
            Readings::GasTransfer($list) => $do,
            Readings::GasHistory($list) => $do,
            Readings::EmbeddedElectricityTransfer($list) => $do,
            Readings::EmbeddedElectricityHistory($list) => $do,
            Readings::EmbeddedTransfer($list) => $do,
            Readings::EmbeddedHistory($list) => $do,
        }
    };
}

impl<'a, 'j> Readings<'a, 'j> {
    /// Returns which of the meter's lists it is.
    pub(crate) fn list(self) -> ReadingList {
        match self {
            Self::ElectricityTransfer(_)
            | Self::GasTransfer(_)
            | Self::EmbeddedElectricityTransfer(_)
            | Self::EmbeddedTransfer(_) => ReadingList::Transfer,
            Self::ElectricityHistory(_)
            | Self::GasHistory(_)
            | Self::EmbeddedElectricityHistory(_)
            | Self::EmbeddedHistory(_) => ReadingList::History,
        }
    }

    /// Returns the number of items sent, faulty ones included.
    pub(crate) fn count(self) -> Presence<usize> {
        each_kind!(self, list => match list.presence() {
            Presence::Usable(list) => Presence::Usable(list.len()),
            Presence::Absent => Presence::Absent,
            Presence::Faulty => Presence::Faulty,
        })
    }

    /// Returns true if the list is absent, or usable with all its items.
    pub(crate) fn is_free_of_faults(self) -> bool {
        each_kind!(self, list => match list.presence() {
            Presence::Usable(list) => list.is_whole(),
            Presence::Absent => true,
            Presence::Faulty => false,
        })
    }

    /// Calls `f` with the index and the content of every usable reading, in payload order.
    pub(crate) fn each(self, mut f: impl FnMut(u32, Reading<'a, 'j>)) {
        match self {
            Self::ElectricityTransfer(list) => usable(list, |i, r| {
                f(i, transfer(register(&r.register_id), &r.reading_date, &r.reading_value));
            }),
            Self::ElectricityHistory(list) => usable(list, |i, r| {
                f(i, history(register(&r.register_id), &r.reading_date, &r.reading_value, billed(&r.billed)));
            }),
            Self::EmbeddedElectricityTransfer(list) => usable(list, |i, r| {
                f(i, transfer(register(&r.register_id), &r.reading_date, &r.reading_value));
            }),
            Self::EmbeddedElectricityHistory(list) => usable(list, |i, r| {
                f(i, history(register(&r.register_id), &r.reading_date, &r.reading_value, billed(&r.billed)));
            }),
            Self::GasTransfer(list) => usable(list, |i, r| {
                let reading = transfer(Source::Meter, &r.reading_date, &r.reading_value);
                f(i, Reading { prev_reading_date: Some(&r.prev_reading_date), ..reading });
            }),
            Self::GasHistory(list) => usable(list, |i, r| {
                let reading = history(Source::Meter, &r.reading_date, &r.reading_value, billed(&r.billed));
                f(i, Reading { prev_reading_date: Some(&r.prev_reading_date), ..reading });
            }),
            Self::EmbeddedTransfer(list) => usable(list, |i, r| {
                f(i, transfer(Source::Meter, &r.reading_date, &r.reading_value));
            }),
            Self::EmbeddedHistory(list) => usable(list, |i, r| {
                let billed = match billed(&r.billed) {
                    Presence::Absent => Presence::Usable(true),
                    billed => billed,
                };
                f(i, history(Source::Meter, &r.reading_date, &r.reading_value, billed));
            }),
        }
    }
}

fn usable<'a, T>(list: &'a Field<List<T>>, mut f: impl FnMut(u32, &'a T)) {
    if let Some(list) = list.usable() {
        list.usable().for_each(|(i, item)| f(i, item));
    }
}

fn transfer<'a, 'j>(
    source: Source<'a>,
    reading_date: &'a Field<NaiveDate>,
    reading_value: &'a Field<Decimal<'j>>,
) -> Reading<'a, 'j> {
    Reading { source, reading_date, reading_value, prev_reading_date: None, billed: Presence::Absent }
}

fn history<'a, 'j>(
    source: Source<'a>,
    reading_date: &'a Field<NaiveDate>,
    reading_value: &'a Field<Decimal<'j>>,
    billed: Presence<bool>,
) -> Reading<'a, 'j> {
    Reading { source, reading_date, reading_value, prev_reading_date: None, billed }
}
