use super::MeterPoint;
use super::reading::Readings;
use super::register::{RegisterList, Registers};
use super::series::{FirstPass, Point, series};
use chrono::NaiveDate;
use cutover_model::choices::SupplyType;
use cutover_model::draft::{self, Variant};
use cutover_model::{DateTime, Field, List, Presence, Text};
use std::cell::OnceCell;

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
    /// Filled by the first rule that asks.
    first_pass: OnceCell<FirstPass>,
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

impl Life {
    pub(crate) fn of_dates(start: &Field<NaiveDate>, end: &Field<NaiveDate>) -> Self {
        Self { start: date(start), end: date(end) }
    }

    pub(crate) fn of_times(start: &Field<DateTime<'_>>, end: &Field<DateTime<'_>>) -> Self {
        Self { start: day(start), end: day(end) }
    }

    /// The life of a meter whose end cannot be told.
    pub(crate) fn since_date(start: &Field<NaiveDate>) -> Self {
        Self { start: date(start), end: Presence::Absent }
    }

    /// The life of a meter whose end cannot be told.
    pub(crate) fn since_time(start: &Field<DateTime<'_>>) -> Self {
        Self { start: day(start), end: Presence::Absent }
    }

    /// Returns true if the other life begins on the day on which this one ends, or on the day after.
    pub(crate) fn is_followed_by(&self, other: Self) -> bool {
        let (Presence::Usable(end), Presence::Usable(start)) = (self.end, other.start) else { return false };
        start == end || end.succ_opt() == Some(start)
    }
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
            life: Life::of_dates(&meter.installed_on, &meter.removed_on),
            registers: Registers::new(RegisterList::Electricity(&meter.registers)),
            transfer_readings: Readings::ElectricityTransfer(&meter.transfer_readings),
            reading_history: Readings::ElectricityHistory(&meter.reading_history),
            object: MeterObject::Electricity(meter),
            first_pass: OnceCell::new(),
        }
    }

    pub(crate) fn gas(meter: &'a draft::GasMeter<'j>, point: &'a MeterPoint<'a, 'j>) -> Self {
        Self {
            kind: SupplyType::Gas,
            point,
            life: Life::of_dates(&meter.installed_on, &meter.removed_on),
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::GasTransfer(&meter.transfer_readings),
            reading_history: Readings::GasHistory(&meter.reading_history),
            object: MeterObject::Gas(meter),
            first_pass: OnceCell::new(),
        }
    }

    pub(crate) fn embedded_electricity(
        meter: &'a draft::EmbeddedElectricityMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedElectricity,
            point,
            life: Life::of_times(&meter.active_from, &meter.active_to),
            registers: Registers::new(RegisterList::Embedded(&meter.registers)),
            transfer_readings: Readings::EmbeddedElectricityTransfer(&meter.transfer_readings),
            reading_history: Readings::EmbeddedElectricityHistory(&meter.reading_history),
            object: MeterObject::EmbeddedElectricity(meter),
            first_pass: OnceCell::new(),
        }
    }

    pub(crate) fn embedded_gas(
        meter: &'a draft::EmbeddedGasMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedGas,
            point,
            life: Life::since_time(&meter.active_from),
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::EmbeddedTransfer(&meter.transfer_readings),
            reading_history: Readings::EmbeddedHistory(&meter.reading_history),
            object: MeterObject::EmbeddedGas(meter),
            first_pass: OnceCell::new(),
        }
    }

    pub(crate) fn embedded_water(
        meter: &'a draft::EmbeddedWaterMeter<'j>,
        point: &'a MeterPoint<'a, 'j>,
    ) -> Self {
        Self {
            kind: SupplyType::EmbeddedWater,
            point,
            life: Life::since_date(&meter.installed_on),
            registers: Registers::new(RegisterList::None),
            transfer_readings: Readings::EmbeddedTransfer(&meter.transfer_readings),
            reading_history: Readings::EmbeddedHistory(&meter.reading_history),
            object: MeterObject::EmbeddedWater(meter),
            first_pass: OnceCell::new(),
        }
    }

    /// Returns the serial number, which all kinds have.
    pub(crate) fn serial_number(&self) -> &'a Field<Text<'j>> {
        match self.object {
            MeterObject::Electricity(own) => &own.meter_serial_number,
            MeterObject::Gas(own) => &own.meter_serial_number,
            MeterObject::EmbeddedElectricity(own) => &own.meter_serial_number,
            MeterObject::EmbeddedGas(own) => &own.meter_serial_number,
            MeterObject::EmbeddedWater(own) => &own.meter_serial_number,
        }
    }

    /// Returns what a first pass over all readings has found.
    pub(crate) fn first_pass(&self) -> FirstPass {
        *self.first_pass.get_or_init(|| FirstPass::over(self.kind, self.by_age()))
    }

    /// Returns every reading, by register and day, or `None` if one is faulty (rules 1.3).
    pub(crate) fn series(&self) -> Option<Vec<Point<'a>>> {
        series(self.kind, self.by_age())
    }

    /// Returns the lists of readings, the older one first.
    fn by_age(&self) -> [Readings<'a, 'j>; 2] {
        [self.reading_history, self.transfer_readings]
    }

    /// Returns true if the meter was removed on the last billed day of its point or before (rules 8.5).
    pub(crate) fn is_fully_billed(&self) -> bool {
        matches!((self.life.end, self.point.last_billed), (Presence::Usable(end), Some(billed)) if end <= billed)
    }

    /// Returns true if the meter is known to be in place (rules 5).
    pub(crate) fn is_in_place(&self) -> bool {
        self.life.end == Presence::Absent
    }

    /// Returns whether a reading of either list is of this day, or `None` if faults hide it.
    pub(crate) fn was_read_on(&self, day: NaiveDate) -> Option<bool> {
        let (mut was_read, mut is_known) = (false, true);
        for readings in self.by_age() {
            is_known &= readings.is_free_of_faults();
            readings.each(|_, reading| match reading.reading_date.usable() {
                Some(date) => was_read |= *date == day,
                None => is_known = false,
            });
        }
        (was_read || is_known).then_some(was_read)
    }
}

impl<'a, 'j> MeterPoint<'a, 'j> {
    /// Calls `f` with the index of every usable meter and with the meter. Returns true if these are all meters.
    pub(crate) fn each_meter(&'a self, mut f: impl FnMut(u32, &Meter<'a, 'j>)) -> bool {
        match &self.point.variant {
            Variant::Electricity(own) => usable(&own.meters, |i, m| f(i, &Meter::electricity(m, self))),
            Variant::Gas(own) => usable(&own.meters, |i, m| f(i, &Meter::gas(m, self))),
            Variant::EmbeddedElectricity(own) => {
                usable(&own.meters, |i, m| f(i, &Meter::embedded_electricity(m, self)))
            }
            Variant::EmbeddedGas(own) => usable(&own.meters, |i, m| f(i, &Meter::embedded_gas(m, self))),
            Variant::EmbeddedWater(own) => usable(&own.meters, |i, m| f(i, &Meter::embedded_water(m, self))),
            Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => true,
            Variant::Undecided => false,
        }
    }
}

/// Calls `f` with each usable item, and returns true if the list is absent or all of its items are usable.
fn usable<'a, T>(list: &'a Field<List<T>>, mut f: impl FnMut(u32, &'a T)) -> bool {
    match list.presence() {
        Presence::Usable(list) => {
            list.usable().for_each(|(index, item)| f(index, item));
            list.is_whole()
        }
        Presence::Absent => true,
        Presence::Faulty => false,
    }
}
