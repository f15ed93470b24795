use super::super::schema::{agreements, meter_points, supply_addresses};
use super::super::types::{Day, Json, Timestamp};
use super::builder::{Builder, identity, next, text};
use super::json::Members;
use super::meters::PointKind;
use super::rows::Tree;
use crate::error::Result;
use cutover_model::{Agreement, MeterPoint, SupplyAddressEntry, Variant, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = supply_addresses, treat_none_as_default_value = false)]
    pub(super) struct SupplyAddressRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        administrative_area: Cow<'a, str>,
        locality: Cow<'a, str>,
        postal_code: Cow<'a, str>,
        country: Cow<'a, str>,
        is_landlord: Option<bool>,
        customer_from: Day,
        details: Option<Json<'a>>,
    }
}

const ADDRESS: &[&str] = &["administrative_area", "locality", "postal_code", "country"];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = meter_points, treat_none_as_default_value = false)]
    pub(super) struct MeterPointRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) supply_address: i64,
        organisation_id: i64,
        mpxn: Cow<'a, str>,
        supply_type: Cow<'a, str>,
        supply_start_date: Day,
        supply_end_date: Option<Day>,
        details: Option<Json<'a>>,
    }
}

const METER_POINT: &[&str] =
    &["mpxn", "supply_type", "supply_start_date", "supply_end_date", "agreements", "meters"];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = agreements, treat_none_as_default_value = false)]
    pub(super) struct AgreementRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) meter_point: i64,
        tariff_code: Cow<'a, str>,
        effective_from: Day,
        effective_to: Option<Day>,
        agreed_at: Option<Timestamp>,
        business_contract_identifier: Option<Cow<'a, str>>,
    }
}

impl<'a> Builder<'a> {
    /// Adds the supply addresses of an account of this organisation.
    pub(super) fn supply_addresses(
        &mut self,
        organisation_id: i64,
        entries: &'a [SupplyAddressEntry<'_>],
    ) -> Result<()> {
        for entry in entries {
            let (position, address) = (next(&self.rows.supply_addresses), &entry.supply_address);
            let row = SupplyAddressRow {
                account_id: self.account_id,
                position,
                administrative_area: text(&address.administrative_area),
                locality: text(&address.locality),
                postal_code: text(&address.postal_code),
                country: text(&address.country),
                is_landlord: entry.is_landlord,
                customer_from: entry.customer_at_supply_address_from_date.into(),
                details: self.details(address, ADDRESS),
            };
            self.rows.supply_addresses.push(row);
            let administrators = entry.property_administrators.as_deref().unwrap_or_default();
            self.property_administrators(position, administrators);
            for point in &entry.meter_points {
                self.meter_point(organisation_id, position, point)?;
            }
        }
        Ok(())
    }

    /// The kind is stored whether it was sent or derived.
    fn meter_point(
        &mut self,
        organisation_id: i64,
        supply_address: i64,
        point: &'a MeterPoint<'_>,
    ) -> Result<()> {
        let (position, common) = (next(&self.rows.meter_points), &point.common);
        let row = MeterPointRow {
            account_id: self.account_id,
            position,
            supply_address,
            organisation_id,
            mpxn: identity(&common.mpxn),
            supply_type: point.variant.supply_type().as_str().into(),
            supply_start_date: common.supply_start_date.into(),
            supply_end_date: common.supply_end_date.value().copied().map(Day::from),
            details: self.details(point, METER_POINT),
        };
        self.rows.meter_points.push(row);
        self.agreements(position, common.agreements.as_deref().unwrap_or_default())?;
        match &point.variant {
            Variant::Electricity(own) => self.meters(position, own.meters.as_deref().unwrap_or_default()),
            Variant::Gas(own) => self.meters(position, own.meters.as_deref().unwrap_or_default()),
            Variant::EmbeddedElectricity(own) => self.meters(position, &own.meters),
            Variant::EmbeddedGas(own) => self.meters(position, &own.meters),
            Variant::EmbeddedWater(own) => self.meters(position, &own.meters),
            Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => {}
        }
        Ok(())
    }

    fn agreements(&mut self, meter_point: i64, agreements: &'a [Agreement<'_>]) -> Result<()> {
        for agreement in agreements {
            let row = AgreementRow {
                account_id: self.account_id,
                position: next(&self.rows.agreements),
                meter_point,
                tariff_code: text(&agreement.tariff_code),
                effective_from: agreement.effective_from.into(),
                effective_to: agreement.effective_to.value().copied().map(Day::from),
                agreed_at: self.instant_if(agreement.agreed_at.value())?,
                business_contract_identifier: agreement.business_contract_identifier.value().map(identity),
            };
            self.rows.agreements.push(row);
        }
        Ok(())
    }
}

impl SupplyAddressRow<'_> {
    pub(super) fn write(&self, tree: &Tree<'_>, writer: &mut Writer) {
        writer.name("supply_address");
        writer.object(|writer| {
            writer.set("administrative_area", &self.administrative_area);
            writer.set("locality", &self.locality);
            writer.set("postal_code", &self.postal_code);
            writer.set("country", &self.country);
            writer.details(&self.details);
        });
        writer.flag("is_landlord", self.is_landlord);
        writer.set("customer_at_supply_address_from_date", &self.customer_from);
        let administrators = tree.administrators.of(self.position);
        writer.list_if("property_administrators", false, administrators, |row, w| row.write(w));
        writer.list("meter_points", tree.meter_points.of(self.position), |row, w| row.write(tree, w));
    }
}

impl MeterPointRow<'_> {
    fn write(&self, tree: &Tree<'_>, writer: &mut Writer) {
        let kind = PointKind::of(&self.supply_type);
        writer.set("mpxn", &self.mpxn);
        writer.set("supply_type", &self.supply_type);
        writer.set("supply_start_date", &self.supply_start_date);
        writer.set_if("supply_end_date", &self.supply_end_date);
        writer.list_if("agreements", false, tree.agreements.of(self.position), |row, w| row.write(w));
        let meters = tree.meters.of(self.position);
        writer.list_if("meters", kind.requires("meters"), meters, |row, w| row.write(kind, tree, w));
        writer.details(&self.details);
    }
}

impl AgreementRow<'_> {
    fn write(&self, writer: &mut Writer) {
        writer.set("tariff_code", &self.tariff_code);
        writer.set("effective_from", &self.effective_from);
        writer.set_if("effective_to", &self.effective_to);
        writer.set_if("agreed_at", &self.agreed_at);
        writer.set_if("business_contract_identifier", &self.business_contract_identifier);
    }
}
