use super::MeterPoint;
use super::reading::Readings;
use super::register::{RegisterList, Registers};
use chrono::NaiveDate;
use cutover_model::choices::SupplyType;
use cutover_model::{DateTime, Field, Presence, draft};

/// First and last day of the life of a meter (rules 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) start: Presence<NaiveDate>,
    pub(crate) end: Presence<NaiveDate>,
}

/// A meter of any of the five kinds.
#[derive(Debug)]
pub(crate) struct Meter<'a, 'j> {
    /// The kind of its meter point.
    pub(crate) kind: SupplyType,
    /// Its meter point.
    pub(crate) point: &'a MeterPoint<'a, 'j>,
    pub(crate) life: Life,
    pub(crate) registers: Registers<'a, 'j>,
    pub(crate) transfer_readings: Readings<'a, 'j>,
    pub(crate) reading_history: Readings<'a, 'j>,
    /// The object itself, for rules about one kind.
    pub(crate) object: MeterObject<'a, 'j>,
}

/// A meter as the object of its kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MeterObject<'a, 'j> {
    Electricity(&'a draft::ElectricityMeter<'j>),
    Gas(&'a draft::GasMeter<'j>),
    EmbeddedElectricity(&'a draft::EmbeddedElectricityMeter<'j>),
    EmbeddedGas(&'a draft::EmbeddedGasMeter<'j>),
    EmbeddedWater(&'a draft::EmbeddedWaterMeter<'j>),
}

fn date(field: &Field<NaiveDate>) -> Presence<NaiveDate> {
    match field.presence() {
        Presence::Usable(date) => Presence::Usable(*date),
        Presence::Absent => Presence::Absent,
        Presence::Faulty => Presence::Faulty,
    }
}

fn day(field: &Field<DateTime<'_>>) -> Presence<NaiveDate> {
    match field.presence() {
        Presence::Usable(datetime) => Presence::Usable(datetime.day()),
        Presence::Absent => Presence::Absent,
        Presence::Faulty => Presence::Faulty,
    }
}

impl<'a, 'j> Meter<'a, 'j> {
    pub(crate) fn electricity(meter: &'a draft::ElectricityMeter<'j>, point: &'a MeterPoint<'a, 'j>) -> Self {
        Self {
            kind: SupplyType::Electricity,
            point,
            life: Life { start: date(&meter.installed_on), end: date(&meter.removed_on) },
            registers: Registers::new(RegisterList::Electricity(&meter.registers)),
            transfer_readings: Readings::ElectricityTransfer(&meter.transfer_readings),
            reading_history: Readings::ElectricityHistory(&meter.reading_history),
            object: MeterObject::Electricity(meter),
        }
    }

    pub(crate) fn gas(meter: &'a draft::GasMeter<'j>, point: &'a MeterPoint<'a, 'j>) -> Self {
        Self {
            kind: SupplyType::Gas,
            point,
            life: Life { start: date(&meter.installed_on), end: date(&meter.removed_on) },
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::GasTransfer(&meter.transfer_readings),
            reading_history: Readings::GasHistory(&meter.reading_history),
            object: MeterObject::Gas(meter),
        }
    }

    pub(crate) fn embedded_electricity(
        meter: &'a draft::EmbeddedElectricityMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedElectricity,
            point,
            life: Life { start: day(&meter.active_from), end: day(&meter.active_to) },
            registers: Registers::new(RegisterList::Embedded(&meter.registers)),
            transfer_readings: Readings::EmbeddedElectricityTransfer(&meter.transfer_readings),
            reading_history: Readings::EmbeddedElectricityHistory(&meter.reading_history),
            object: MeterObject::EmbeddedElectricity(meter),
        }
    }

    pub(crate) fn embedded_gas(
        meter: &'a draft::EmbeddedGasMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedGas,
            point,
            life: Life { start: day(&meter.active_from), end: Presence::Absent },
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::Embedded(super::ReadingList::Transfer, &meter.transfer_readings),
            reading_history: Readings::Embedded(super::ReadingList::History, &meter.reading_history),
            object: MeterObject::EmbeddedGas(meter),
        }
    }

    pub(crate) fn embedded_water(
        meter: &'a draft::EmbeddedWaterMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedWater,
            point,
            life: Life { start: date(&meter.installed_on), end: Presence::Absent },
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::Embedded(super::ReadingList::Transfer, &meter.transfer_readings),
            reading_history: Readings::Embedded(super::ReadingList::History, &meter.reading_history),
            object: MeterObject::EmbeddedWater(meter),
        }
    }
}
