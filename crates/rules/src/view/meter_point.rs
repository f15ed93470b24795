use crate::form::SupplyPointId;
use chrono::NaiveDate;
use cutover_model::draft::{self, Variant};
use cutover_model::{Field, List, Presence, Text};

/// A meter point and its account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeterPoint<'a, 'j> {
    pub(crate) point: &'a draft::MeterPoint<'j>,
    pub(crate) account: &'a draft::Account<'j>,
    /// The day up to which it is billed (rules 8.5), if it is known.
    pub(crate) last_billed: Option<NaiveDate>,
}

impl<'a, 'j> MeterPoint<'a, 'j> {
    pub(crate) fn new(point: &'a draft::MeterPoint<'j>, account: &'a draft::Account<'j>) -> Self {
        Self { point, account, last_billed: last_billed(point, account) }
    }

    /// Returns true if the supply is known to go on after today.
    pub(crate) fn is_on_supply(&self, today: NaiveDate) -> bool {
        is_on_supply(self.point, today)
    }

    /// Returns the end of the supply, if it is today or earlier.
    pub(crate) fn off_supply_since(&self, today: NaiveDate) -> Option<NaiveDate> {
        self.point.common.supply_end_date.usable().copied().filter(|end| *end <= today)
    }

    /// Returns the form of `mpxn`, for the kinds that have one.
    pub(crate) fn mpxn_form(&self) -> Option<SupplyPointId> {
        match self.point.variant {
            Variant::Electricity(_) | Variant::EmbeddedElectricity(_) => Some(SupplyPointId::Nmi),
            Variant::Gas(_) => Some(SupplyPointId::Mirn),
            _ => None,
        }
    }

    /// Returns the member `parent_nmi`, for the kinds that have it.
    pub(crate) fn parent_nmi(&self) -> Option<&'a Field<Text<'j>>> {
        match &self.point.variant {
            Variant::UnmeteredElectricity(own) => Some(&own.parent_nmi),
            Variant::EmbeddedElectricity(own) => Some(&own.parent_nmi),
            _ => None,
        }
    }

    /// Returns the member `parent_mirn`, for the kinds that have it.
    pub(crate) fn parent_mirn(&self) -> Option<&'a Field<Text<'j>>> {
        match &self.point.variant {
            Variant::UnmeteredGas(own) => Some(&own.parent_mirn),
            Variant::EmbeddedGas(own) => Some(&own.parent_mirn),
            Variant::EmbeddedWater(own) => Some(&own.parent_mirn),
            _ => None,
        }
    }

    /// Returns the member `hazard_details`, for the kinds that have it.
    pub(crate) fn hazard_details(&self) -> Option<&'a Field<List<Text<'j>>>> {
        match &self.point.variant {
            Variant::Electricity(own) => Some(&own.hazard_details),
            Variant::Gas(own) => Some(&own.hazard_details),
            Variant::EmbeddedElectricity(own) => Some(&own.hazard_details),
            _ => None,
        }
    }
}

/// Returns true if the supply of a meter point is known to go on after today.
pub(crate) fn is_on_supply(point: &draft::MeterPoint<'_>, today: NaiveDate) -> bool {
    match point.common.supply_end_date.presence() {
        Presence::Usable(end) => *end > today,
        Presence::Absent => true,
        Presence::Faulty => false,
    }
}

/// Returns the earliest date of the registers in place, else that of the account (rules 8.5).
fn last_billed(point: &draft::MeterPoint<'_>, account: &draft::Account<'_>) -> Option<NaiveDate> {
    let own = match &point.variant {
        Variant::Electricity(own) => earliest(&own.meters)?,
        _ => None,
    };
    own.or_else(|| account.last_billed_to_date.usable().copied())
}

/// Returns the earliest date of the registers of meters in place, or the outer `None` if a fault may hide it.
#[expect(clippy::option_option, reason = "outer: known or not; inner: given or not")]
fn earliest(meters: &Field<List<draft::ElectricityMeter<'_>>>) -> Option<Option<NaiveDate>> {
    let mut earliest = None;
    for meter in known_items(meters)? {
        match meter.removed_on.presence() {
            Presence::Usable(_) => continue,
            Presence::Absent => {}
            Presence::Faulty => return None,
        }
        for register in known_items(&meter.registers)? {
            match register.last_billed_to_date.presence() {
                Presence::Usable(date) => earliest = Some(earliest.map_or(*date, |other| (*date).min(other))),
                Presence::Absent => {}
                Presence::Faulty => return None,
            }
        }
    }
    Some(earliest)
}

/// Returns the items of a list, none if it is absent, or `None` if it or an item of it is faulty.
fn known_items<T>(list: &Field<List<T>>) -> Option<impl Iterator<Item = &T>> {
    let list = match list.presence() {
        Presence::Usable(list) if list.is_whole() => Some(list),
        Presence::Absent => None,
        Presence::Usable(_) | Presence::Faulty => return None,
    };
    Some(list.into_iter().flat_map(List::usable).map(|(_, item)| item))
}
