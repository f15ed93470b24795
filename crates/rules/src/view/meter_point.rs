use crate::form::SupplyPointId;
use cutover_model::draft::{self, Variant};
use cutover_model::{Field, List, Text};

/// A meter point and its account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeterPoint<'a, 'j> {
    pub(crate) point: &'a draft::MeterPoint<'j>,
    pub(crate) account: &'a draft::Account<'j>,
}

impl<'a, 'j> MeterPoint<'a, 'j> {
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
