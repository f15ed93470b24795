use super::super::schema::{meters, registers};
use super::super::types::{Day, Json};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::readings::{HISTORY, Reading, TRANSFER};
use super::rows::Tree;
use chrono::NaiveDate;
use cutover_model::choices::SupplyType;
use cutover_model::{
    ElectricityMeter, ElectricityRegister, EmbeddedElectricityMeter, EmbeddedElectricityRegister,
    EmbeddedGasMeter, EmbeddedWaterMeter, Encode, FieldSpec, GasMeter, ObjectSpec, Text, Variant, Writer,
};
use diesel::prelude::*;
use std::borrow::Cow;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = meters, treat_none_as_default_value = false)]
pub(super) struct MeterRow<'a> {
    account_id: i64,
    position: i64,
    pub(super) meter_point: i64,
    serial_number: Cow<'a, str>,
    installed_on: Option<Day<'a>>,
    removed_on: Option<Day<'a>>,
    details: Option<Json<'a>>,
}

const METER: &[&str] = &[
    "meter_serial_number",
    "installed_on",
    "removed_on",
    "registers",
    "transfer_readings",
    "reading_history",
];

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = registers, treat_none_as_default_value = false)]
pub(super) struct RegisterRow<'a> {
    account_id: i64,
    position: i64,
    pub(super) meter: i64,
    register_id: Cow<'a, str>,
    last_billed_to_date: Option<Day<'a>>,
    details: Option<Json<'a>>,
}

const REGISTER: &[&str] = &["register_id", "last_billed_to_date"];

/// What the meters of all kinds have in common.
pub(super) trait Meter: Encode {
    type Register: Register;
    type Transfer: Reading;
    type History: Reading;

    fn serial_number(&self) -> &Text<'_>;
    fn installed_on(&self) -> Option<NaiveDate>;
    fn removed_on(&self) -> Option<NaiveDate>;
    fn registers(&self) -> &[Self::Register];
    fn transfer_readings(&self) -> &[Self::Transfer];
    fn reading_history(&self) -> &[Self::History];
}

/// What the registers of all kinds have in common.
pub(super) trait Register: Encode {
    fn register_id(&self) -> &Text<'_>;
    fn last_billed_to_date(&self) -> Option<NaiveDate>;
}

impl Register for ElectricityRegister<'_> {
    fn register_id(&self) -> &Text<'_> {
        &self.register_id
    }

    fn last_billed_to_date(&self) -> Option<NaiveDate> {
        self.last_billed_to_date
    }
}

impl Register for EmbeddedElectricityRegister<'_> {
    fn register_id(&self) -> &Text<'_> {
        &self.register_id
    }

    fn last_billed_to_date(&self) -> Option<NaiveDate> {
        None
    }
}

/// Meters: their type, and how each member is had of a meter.
macro_rules! meters {
    ($(
        $meter:ident<$life:lifetime>($register:ty, $transfer:ty, $history:ty), $self:ident:
        $installed:expr, $removed:expr, $registers:expr, $transfers:expr, $readings:expr;
    )*) => {
        $(
            impl<$life> Meter for $meter<$life> {
                type Register = $register;
                type Transfer = $transfer;
                type History = $history;

                fn serial_number(&self) -> &Text<'_> {
                    &self.meter_serial_number
                }

                fn installed_on(&$self) -> Option<NaiveDate> {
                    $installed
                }

                fn removed_on(&$self) -> Option<NaiveDate> {
                    $removed
                }

                fn registers(&$self) -> &[Self::Register] {
                    $registers
                }

                fn transfer_readings(&$self) -> &[Self::Transfer] {
                    $transfers
                }

                fn reading_history(&$self) -> &[Self::History] {
                    $readings
                }
            }
        )*
    };
}
