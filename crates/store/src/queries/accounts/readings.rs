use super::super::schema::readings;
use super::super::types::{Day, Digits, Json};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::meters::PointKind;
use chrono::NaiveDate;
use cutover_model::{
    Decimal, ElectricityHistoricalReading, ElectricityTransferReading, EmbeddedElectricityHistoricalReading,
    EmbeddedElectricityTransferReading, EmbeddedHistoricalReading, EmbeddedTransferReading, Encode,
    GasHistoricalReading, GasTransferReading, Text, Writer,
};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = readings, treat_none_as_default_value = false)]
    pub(super) struct ReadingRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) meter: i64,
        kind: Cow<'a, str>,
        register_id: Option<Cow<'a, str>>,
        reading_date: Day,
        value: Digits<'a>,
        quality: Cow<'a, str>,
        billed: Option<bool>,
        details: Option<Json<'a>>,
    }
}

const READING: &[&str] =
    &["register_id", "reading_date", "reading_value", "reading_type", "reading_quality", "billed"];

/// Kind of the readings of a meter.
#[derive(Clone, Copy)]
pub(super) enum Series {
    Transfer,
    History,
}

impl Series {
    /// Returns the value of the column.
    fn word(self) -> &'static str {
        match self {
            Self::Transfer => "transfer",
            Self::History => "history",
        }
    }

    /// Returns the name of the meter's member.
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Transfer => "transfer_readings",
            Self::History => "reading_history",
        }
    }

    pub(super) fn holds(self, row: &ReadingRow<'_>) -> bool {
        row.kind == self.word()
    }
}

/// The common parts of readings of all kinds.
pub(super) struct ReadingParts<'a> {
    register_id: Option<&'a Text<'a>>,
    date: NaiveDate,
    value: &'a Decimal<'a>,
    quality: &'static str,
    billed: Option<bool>,
}

pub(super) trait Reading: Encode {
    /// True if it has members without columns.
    const HAS_DETAILS: bool;

    fn parts(&self) -> ReadingParts<'_>;
}

macro_rules! readings {
    ($($reading:ident($self:ident), $has_details:literal: $register_id:expr, $quality:ident, $billed:expr;)*) => {
        $(
            impl Reading for $reading<'_> {
                const HAS_DETAILS: bool = $has_details;

                fn parts(&$self) -> ReadingParts<'_> {
                    ReadingParts {
                        register_id: $register_id,
                        date: $self.reading_date,
                        value: &$self.reading_value,
                        quality: $self.$quality.as_str(),
                        billed: $billed,
                    }
                }
            }
        )*
    };
}

readings! {
    ElectricityTransferReading(self), false: self.register_id.as_ref(), reading_type, None;
    ElectricityHistoricalReading(self), false: self.register_id.as_ref(), reading_type, Some(self.billed);
    GasTransferReading(self), true: None, reading_type, None;
    GasHistoricalReading(self), true: None, reading_type, Some(self.billed);
    EmbeddedElectricityTransferReading(self), false: Some(&self.register_id), reading_quality, None;
    EmbeddedElectricityHistoricalReading(self), false: Some(&self.register_id), reading_quality, Some(self.billed);
    EmbeddedTransferReading(self), false: None, reading_quality, None;
    EmbeddedHistoricalReading(self), false: None, reading_quality, self.billed;
}

impl<'a> Builder<'a> {
    pub(super) fn readings<R: Reading>(&mut self, meter: i64, series: Series, readings: &'a [R]) {
        for reading in readings {
            let parts = reading.parts();
            let row = ReadingRow {
                account_id: self.account_id,
                position: next(&self.rows.readings),
                meter,
                kind: series.word().into(),
                register_id: parts.register_id.map(text),
                reading_date: parts.date.into(),
                value: parts.value.into(),
                quality: parts.quality.into(),
                billed: parts.billed,
                details: if R::HAS_DETAILS { self.details(reading, READING) } else { None },
            };
            self.rows.readings.push(row);
        }
    }
}

impl ReadingRow<'_> {
    pub(super) fn write(&self, kind: PointKind, writer: &mut Writer) {
        writer.set_if("register_id", &self.register_id);
        writer.set("reading_date", &self.reading_date);
        writer.set("reading_value", &self.value);
        writer.set(kind.quality(), &self.quality);
        writer.flag("billed", self.billed);
        writer.details(&self.details);
    }
}
