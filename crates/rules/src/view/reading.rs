use chrono::NaiveDate;
use cutover_model::{Decimal, Field, List, Presence, Text, draft};

/// Which of a meter's two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// `transfer_readings`.
    Transfer,
    /// `reading_history`.
    History,
}

impl Side {
    /// The member that holds the list.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Transfer => "transfer_readings",
            Self::History => "reading_history",
        }
    }
}

/// A list of readings of one of the kinds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Readings<'a, 'j> {
    ElectricityTransfer(&'a Field<List<draft::ElectricityTransferReading<'j>>>),
    ElectricityHistory(&'a Field<List<draft::ElectricityHistoricalReading<'j>>>),
    GasTransfer(&'a Field<List<draft::GasTransferReading<'j>>>),
    GasHistory(&'a Field<List<draft::GasHistoricalReading<'j>>>),
    EmbeddedElectricityTransfer(&'a Field<List<draft::EmbeddedElectricityTransferReading<'j>>>),
    EmbeddedElectricityHistory(&'a Field<List<draft::EmbeddedElectricityHistoricalReading<'j>>>),
    /// Of an embedded gas or water meter: one object serves both lists.
    Embedded(Side, &'a Field<List<draft::EmbeddedReading<'j>>>),
}

/// Which register, or the meter itself, a reading is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dial<'a> {
    /// Readings of this kind are of the meter.
    Meter,
    /// The member `register_id` names the register.
    Register(Presence<&'a str>),
}

/// A reading of one of the kinds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a, 'j> {
    pub(crate) dial: Dial<'a>,
    pub(crate) reading_date: &'a Field<NaiveDate>,
    pub(crate) reading_value: &'a Field<Decimal<'j>>,
    pub(crate) prev_reading_date: Option<&'a Field<NaiveDate>>,
    /// Whether it was billed; transfer readings are not, embedded gas and water history always is.
    pub(crate) billed: Presence<bool>,
}

fn register<'a>(id: &'a Field<Text<'_>>) -> Dial<'a> {
    Dial::Register(match id.presence() {
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

/// Runs the same expression on the list of whatever kind.
macro_rules! each_kind {
    ($readings:expr, $list:ident => $do:expr) => {
        match $readings {
            Readings::ElectricityTransfer($list) => $do,
            Readings::ElectricityHistory($list) => $do,
            Readings::GasTransfer($list) => $do,
            Readings::GasHistory($list) => $do,
            Readings::EmbeddedElectricityTransfer($list) => $do,
            Readings::EmbeddedElectricityHistory($list) => $do,
            Readings::Embedded(_, $list) => $do,
        }
    };
}

impl<'a, 'j> Readings<'a, 'j> {
    /// Which of the meter's lists it is.
    pub(crate) fn side(self) -> Side {
        match self {
            Self::ElectricityTransfer(_) | Self::GasTransfer(_) | Self::EmbeddedElectricityTransfer(_) => {
                Side::Transfer
            }
            Self::ElectricityHistory(_) | Self::GasHistory(_) | Self::EmbeddedElectricityHistory(_) => {
                Side::History
            }
            Self::Embedded(side, _) => side,
        }
    }

    /// The number of items sent, faulty ones included; what of it is known if the list is faulty.
    pub(crate) fn count(self) -> Presence<usize> {
        each_kind!(self, list => match list.presence() {
            Presence::Usable(list) => Presence::Usable(list.len()),
            Presence::Absent => Presence::Absent,
            Presence::Faulty => Presence::Faulty,
        })
    }

    /// Whether the list is absent, or usable with all its items.
    pub(crate) fn is_free_of_faults(self) -> bool {
        each_kind!(self, list => match list.presence() {
            Presence::Usable(list) => list.is_whole(),
            Presence::Absent => true,
            Presence::Faulty => false,
        })
    }

    /// Calls with every usable reading and its index, in payload order.
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
                let reading = transfer(Dial::Meter, &r.reading_date, &r.reading_value);
                f(i, Reading { prev_reading_date: Some(&r.prev_reading_date), ..reading });
            }),
            Self::GasHistory(list) => usable(list, |i, r| {
                let reading = history(Dial::Meter, &r.reading_date, &r.reading_value, billed(&r.billed));
                f(i, Reading { prev_reading_date: Some(&r.prev_reading_date), ..reading });
            }),
            Self::Embedded(Side::Transfer, list) => usable(list, |i, r| {
                f(i, transfer(Dial::Meter, &r.reading_date, &r.reading_value));
            }),
            Self::Embedded(Side::History, list) => usable(list, |i, r| {
                f(i, history(Dial::Meter, &r.reading_date, &r.reading_value, Presence::Usable(true)));
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
    dial: Dial<'a>,
    reading_date: &'a Field<NaiveDate>,
    reading_value: &'a Field<Decimal<'j>>,
) -> Reading<'a, 'j> {
    Reading { dial, reading_date, reading_value, prev_reading_date: None, billed: Presence::Absent }
}

fn history<'a, 'j>(
    dial: Dial<'a>,
    reading_date: &'a Field<NaiveDate>,
    reading_value: &'a Field<Decimal<'j>>,
    billed: Presence<bool>,
) -> Reading<'a, 'j> {
    Reading { dial, reading_date, reading_value, prev_reading_date: None, billed }
}
