use super::super::schema::{meters, registers};
use super::super::types::{Day, Json};
use super::builder::{Builder, next, text};
use super::json::Members;
use super::readings::{Reading, Series};
use super::rows::Tree;
use chrono::NaiveDate;
use cutover_model::choices::SupplyType;
use cutover_model::{
    ElectricityMeter, ElectricityRegister, EmbeddedElectricityMeter, EmbeddedElectricityRegister,
    EmbeddedGasMeter, EmbeddedWaterMeter, Encode, FieldSpec, GasMeter, Kind, Text, Variant, Writer,
};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = meters, treat_none_as_default_value = false)]
    pub(super) struct MeterRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) meter_point: i64,
        serial_number: Cow<'a, str>,
        installed_on: Option<Day>,
        removed_on: Option<Day>,
        details: Option<Json<'a>>,
    }
}

const METER: &[&str] = &[
    "meter_serial_number",
    "installed_on",
    "removed_on",
    "registers",
    "transfer_readings",
    "reading_history",
];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = registers, treat_none_as_default_value = false)]
    pub(super) struct RegisterRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) meter: i64,
        register_id: Cow<'a, str>,
        last_billed_to_date: Option<Day>,
        details: Option<Json<'a>>,
    }
}

const REGISTER: &[&str] = &["register_id", "last_billed_to_date"];

/// The common parts of meters of all kinds, which differ in the types of their members.
pub(super) struct Parts<'a, G, T, H> {
    serial_number: &'a Text<'a>,
    installed_on: Option<NaiveDate>,
    removed_on: Option<NaiveDate>,
    registers: &'a [G],
    transfer: &'a [T],
    history: &'a [H],
}

pub(super) trait Meter: Encode {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading>;
}

impl Meter for ElectricityMeter<'_> {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading> {
        Parts {
            serial_number: &self.meter_serial_number,
            installed_on: self.installed_on.value().copied(),
            removed_on: self.removed_on.value().copied(),
            registers: self.registers.as_deref().unwrap_or_default(),
            transfer: self.transfer_readings.as_deref().unwrap_or_default(),
            history: self.reading_history.as_deref().unwrap_or_default(),
        }
    }
}

impl Meter for GasMeter<'_> {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading> {
        Parts {
            serial_number: &self.meter_serial_number,
            installed_on: self.installed_on.value().copied(),
            removed_on: self.removed_on.value().copied(),
            registers: NO_REGISTERS,
            transfer: self.transfer_readings.as_deref().unwrap_or_default(),
            history: self.reading_history.as_deref().unwrap_or_default(),
        }
    }
}

impl Meter for EmbeddedElectricityMeter<'_> {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading> {
        Parts {
            serial_number: &self.meter_serial_number,
            installed_on: None,
            removed_on: None,
            registers: &self.registers,
            transfer: self.transfer_readings.as_deref().unwrap_or_default(),
            history: self.reading_history.as_deref().unwrap_or_default(),
        }
    }
}

impl Meter for EmbeddedGasMeter<'_> {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading> {
        Parts {
            serial_number: &self.meter_serial_number,
            installed_on: None,
            removed_on: None,
            registers: NO_REGISTERS,
            transfer: &self.transfer_readings,
            history: &self.reading_history,
        }
    }
}

impl Meter for EmbeddedWaterMeter<'_> {
    fn parts(&self) -> Parts<'_, impl Register, impl Reading, impl Reading> {
        Parts {
            serial_number: &self.meter_serial_number,
            installed_on: Some(self.installed_on),
            removed_on: None,
            registers: NO_REGISTERS,
            transfer: self.transfer_readings.as_deref().unwrap_or_default(),
            history: self.reading_history.as_deref().unwrap_or_default(),
        }
    }
}

const NO_REGISTERS: &[ElectricityRegister<'_>] = &[];

/// The common parts of registers of both kinds.
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

impl<'a> Builder<'a> {
    pub(super) fn meters(&mut self, meter_point: i64, meters: &'a [impl Meter]) {
        for meter in meters {
            let (position, parts) = (next(&self.rows.meters), meter.parts());
            let row = MeterRow {
                account_id: self.account_id,
                position,
                meter_point,
                serial_number: text(parts.serial_number),
                installed_on: parts.installed_on.map(Day::from),
                removed_on: parts.removed_on.map(Day::from),
                details: self.details(meter, METER),
            };
            self.rows.meters.push(row);
            self.registers(position, parts.registers);
            self.readings(position, Series::Transfer, parts.transfer);
            self.readings(position, Series::History, parts.history);
        }
    }

    fn registers(&mut self, meter: i64, registers: &'a [impl Register]) {
        for register in registers {
            let row = RegisterRow {
                account_id: self.account_id,
                position: next(&self.rows.registers),
                meter,
                register_id: text(register.register_id()),
                last_billed_to_date: register.last_billed_to_date().map(Day::from),
                details: self.details(register, REGISTER),
            };
            self.rows.registers.push(row);
        }
    }
}

/// The kind of a meter point, with its required arrays.
#[derive(Clone, Copy)]
pub(super) struct PointKind(SupplyType);

impl PointKind {
    /// Returns the kind of a column. An unknown kind is refused when the account is decoded.
    pub(super) fn of(supply_type: &str) -> Self {
        Self(supply_type.parse().unwrap_or(SupplyType::Electricity))
    }

    /// Returns true if its meter points must have a member.
    pub(super) fn requires(self, name: &str) -> bool {
        field(Variant::spec(self.0).fields, name).is_some_and(|field| field.required)
    }

    /// Returns true if its meters must have a member.
    pub(super) fn meter_requires(self, name: &str) -> bool {
        let required = || {
            let Kind::List { item, .. } = field(Variant::spec(self.0).fields, "meters")?.kind else {
                return None;
            };
            let Kind::Object(meter) = item.kind else { return None };
            Some(field(meter().fields, name)?.required)
        };
        required().unwrap_or(false)
    }

    /// Returns the name of the quality of its readings.
    pub(super) fn quality(self) -> &'static str {
        match self.0 {
            SupplyType::Electricity | SupplyType::Gas => "reading_type",
            _ => "reading_quality",
        }
    }
}

fn field(fields: &'static [FieldSpec], name: &str) -> Option<&'static FieldSpec> {
    fields.iter().find(|field| field.name == name)
}

impl MeterRow<'_> {
    pub(super) fn write(&self, kind: PointKind, tree: &Tree<'_>, writer: &mut Writer) {
        writer.set("meter_serial_number", &self.serial_number);
        writer.set_if("installed_on", &self.installed_on);
        writer.set_if("removed_on", &self.removed_on);
        let registers = tree.registers.of(self.position);
        writer.list_if("registers", kind.meter_requires("registers"), registers, |row, w| row.write(w));
        for series in [Series::Transfer, Series::History] {
            let of_series = |row: &&&_| series.holds(row);
            let readings: Vec<_> = tree.readings.of(self.position).iter().filter(of_series).collect();
            let required = kind.meter_requires(series.member());
            writer.list_if(series.member(), required, &readings, |row, w| row.write(kind, w));
        }
        writer.details(&self.details);
    }
}

impl RegisterRow<'_> {
    fn write(&self, writer: &mut Writer) {
        writer.set("register_id", &self.register_id);
        writer.set_if("last_billed_to_date", &self.last_billed_to_date);
        writer.details(&self.details);
    }
}
