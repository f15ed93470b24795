use super::super::schema::{customers, property_administrators};
use super::super::types::{Day, Json};
use super::builder::{Builder, next, text};
use super::json::Members;
use cutover_model::{Customer, PropertyAdministrator, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = customers, treat_none_as_default_value = false)]
    pub(super) struct CustomerRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        given_name: Option<Cow<'a, str>>,
        family_name: Option<Cow<'a, str>>,
        email: Option<Cow<'a, str>>,
        mobile: Option<Cow<'a, str>>,
        landline: Option<Cow<'a, str>>,
        date_of_birth: Option<Day>,
        details: Option<Json<'a>>,
    }
}

const CUSTOMER: &[&str] = &["given_name", "family_name", "email", "mobile", "landline", "date_of_birth"];

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = property_administrators, treat_none_as_default_value = false)]
    pub(super) struct PropertyAdministratorRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        pub(super) supply_address: i64,
        given_name: Option<Cow<'a, str>>,
        family_name: Option<Cow<'a, str>>,
        email: Option<Cow<'a, str>>,
        mobile: Option<Cow<'a, str>>,
        landline: Option<Cow<'a, str>>,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn customers(&mut self, customers: &'a [Customer<'_>]) {
        for customer in customers {
            let row = CustomerRow {
                account_id: self.account_id,
                position: next(&self.rows.customers),
                given_name: customer.given_name.as_ref().map(text),
                family_name: customer.family_name.as_ref().map(text),
                email: customer.email.value().map(text),
                mobile: customer.mobile.value().map(text),
                landline: customer.landline.value().map(text),
                date_of_birth: customer.date_of_birth.value().copied().map(Day::from),
                details: self.details(customer, CUSTOMER),
            };
            self.rows.customers.push(row);
        }
    }

    pub(super) fn property_administrators(
        &mut self,
        supply_address: i64,
        administrators: &'a [PropertyAdministrator<'_>],
    ) {
        for person in administrators {
            let row = PropertyAdministratorRow {
                account_id: self.account_id,
                position: next(&self.rows.property_administrators),
                supply_address,
                given_name: person.given_name.value().map(text),
                family_name: person.family_name.as_ref().map(text),
                email: person.email.value().map(text),
                mobile: person.mobile.value().map(text),
                landline: person.landline.value().map(text),
            };
            self.rows.property_administrators.push(row);
        }
    }
}

impl CustomerRow<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set_if("given_name", &self.given_name);
        writer.set_if("family_name", &self.family_name);
        writer.set_if("email", &self.email);
        writer.set_if("mobile", &self.mobile);
        writer.set_if("landline", &self.landline);
        writer.set_if("date_of_birth", &self.date_of_birth);
        writer.details(&self.details);
    }
}

impl PropertyAdministratorRow<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set_if("given_name", &self.given_name);
        writer.set_if("family_name", &self.family_name);
        writer.set_if("email", &self.email);
        writer.set_if("mobile", &self.mobile);
        writer.set_if("landline", &self.landline);
    }
}
