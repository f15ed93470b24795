//! Types of columns that the databases lack or have in another form.

use super::dialect::{Db, Dialect};
use super::sql_dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::schema::columns;
use crate::sealed::{Location, Sealer};
use chrono::{DateTime, NaiveDate, Utc};
use cutover_model::{Decimal, Writer};
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{Binary, Text};
use std::borrow::Cow;

/// An instant: microseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = columns::Instant)]
pub(crate) struct Timestamp(i64);

impl Timestamp {
    /// The first one: the beginning of the year 1.
    pub(crate) const FIRST: Self = Self(-62_135_596_800_000_000);

    pub(crate) fn instant(self) -> Result<DateTime<Utc>> {
        DateTime::from_timestamp_micros(self.0).ok_or_else(|| Error::corrupt("a time is out of range"))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant.timestamp_micros())
    }
}

impl ToSql<columns::Instant, Db> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        Dialect::write_instant(self.0, out)
    }
}

impl FromSql<columns::Instant, Db> for Timestamp {
    fn from_sql(value: <Db as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Dialect::read_instant(value).map(Self)
    }
}

/// Converts the time of a nullable column.
pub(crate) fn instant(timestamp: Option<Timestamp>) -> Result<Option<DateTime<Utc>>> {
    timestamp.map(Timestamp::instant).transpose()
}

/// 256 bits: a hash or a key.
#[derive(Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub(crate) struct Bits(pub(crate) [u8; 32]);

impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bits")
    }
}

impl ToSql<Binary, Db> for Bits {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <[u8] as ToSql<Binary, Db>>::to_sql(&self.0, out)
    }
}

impl FromSql<Binary, Db> for Bits {
    fn from_sql(value: <Db as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let bytes = <Vec<u8> as FromSql<Binary, Db>>::from_sql(value)?;
        bytes.try_into().map(Self).map_err(|_| "a hash does not have 256 bits".into())
    }
}

/// Declares types that are stored as text.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $sql:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
            #[diesel(sql_type = $sql)]
            pub(crate) struct $name<'a>(Cow<'a, str>);

            impl $name<'_> {
                pub(crate) fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl ToSql<$sql, Db> for $name<'_> {
                fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
                    <str as ToSql<Text, Db>>::to_sql(&self.0, out)
                }
            }

            impl FromSql<$sql, Db> for $name<'static> {
                fn from_sql(value: <Db as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
                    <String as FromSql<Text, Db>>::from_sql(value).map(|text| Self(Cow::Owned(text)))
                }
            }
        )*
    };
}

texts! {
    /// A decimal with the digits that were sent, never a binary floating-point number.
    Digits: columns::Digits;
    /// One JSON object.
    Json: columns::Json;
}

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = columns::Day)]
pub(crate) struct Day(pub(crate) NaiveDate);

impl From<NaiveDate> for Day {
    fn from(day: NaiveDate) -> Self {
        Self(day)
    }
}

impl From<Day> for NaiveDate {
    fn from(day: Day) -> Self {
        day.0
    }
}

/// Converts the day of a nullable column.
pub(crate) fn date(day: Option<Day>) -> Option<NaiveDate> {
    day.map(|day| day.0)
}

impl ToSql<columns::Day, Db> for Day {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        Dialect::write_day(self.0, out)
    }
}

impl FromSql<columns::Day, Db> for Day {
    fn from_sql(value: <Db as diesel::backend::Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Dialect::read_day(value).map(Self)
    }
}

impl<'a> From<&'a Decimal<'_>> for Digits<'a> {
    fn from(decimal: &'a Decimal<'_>) -> Self {
        Self(decimal.digits())
    }
}

impl Digits<'_> {
    /// Returns the decimal of the digits.
    pub(crate) fn decimal(&self) -> Result<Decimal<'static>> {
        Decimal::from_sent(&self.0, true).ok_or_else(|| Error::corrupt("a decimal cannot be read"))
    }
}

/// Converts the decimal of a nullable column.
pub(crate) fn decimal(digits: Option<Digits<'_>>) -> Result<Option<Decimal<'static>>> {
    digits.map(|digits| digits.decimal()).transpose()
}

impl Json<'_> {
    /// Returns the JSON in its stored form.
    pub(crate) fn sealed(self, sealer: &Sealer, location: Location<'_>) -> Result<Json<'static>> {
        sealer.seal_text(location, self.0.into_owned()).map(|text| Json(Cow::Owned(text)))
    }

    /// Returns the JSON from its stored form.
    pub(crate) fn opened(self, sealer: &Sealer, location: Location<'_>) -> Result<Json<'static>> {
        sealer.open_text(location, self.0.into_owned()).map(|text| Json(Cow::Owned(text)))
    }

    pub(crate) fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        serde_json::from_str(&self.0).map_err(|_| Error::corrupt(format_args!("{name} cannot be read")))
    }
}

impl Json<'static> {
    /// Returns the object of a writer, or `None` if it has no members.
    pub(crate) fn written(writer: Writer) -> Option<Self> {
        let json = String::from_utf8(writer.into_bytes()).ok()?;
        (json != "{}").then_some(Self(Cow::Owned(json)))
    }

    pub(crate) fn of(value: &impl serde::Serialize) -> Result<Self> {
        let json = serde_json::to_string(value).map_err(|_| Error::Unfit("a value has no JSON form"))?;
        Ok(Self(Cow::Owned(json)))
    }
}
