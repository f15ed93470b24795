//! What of an account is shown to everybody who is signed in. Whatever is not known to tell nothing of a person
//! is masked until it is asked for: a member that is added to the model is, too, until it is listed here.

/// Objects and lists that are about people, or where they live, or what they pay with.
const PERSONAL: &[&str] = &[
    "address",
    "bank_account",
    "card",
    "customers",
    "house",
    "property_administrators",
    "street",
    "structured_street_address",
    "supply_address",
];

/// Members of other objects that tell nothing of a person.
const SHOWN: &[&str] = &[
    "active_from",
    "active_to",
    "agreed_at",
    "agreements",
    "amount",
    "appliance_type",
    "average_daily_usage",
    "average_heating_value",
    "baseload",
    "bill_period_from_date",
    "bill_period_to_date",
    "billed",
    "billing_method",
    "business",
    "business_contract_identifier",
    "category",
    "communication_preference",
    "connection_periods",
    "construction_date",
    "consumed_energy",
    "controlled_load",
    "created_at",
    "current_statement_transactions",
    "customer_at_supply_address_from_date",
    "customer_characterisation",
    "customer_classification",
    "customer_classification_code",
    "customer_classification_threshold",
    "customer_emails",
    "customer_threshold",
    "date_of_sale",
    "day_of_month",
    "dial_format_decimals",
    "dial_format_digits",
    "distribution_tariff",
    "distributors",
    "dog_code",
    "effective_from",
    "effective_to",
    "end_at",
    "end_date",
    "estimation_substitution_reason_code",
    "estimation_substitution_type",
    "event_type",
    "events",
    "external_account_number",
    "frequency",
    "from_date",
    "gas_meter_units",
    "gross_amount",
    "heating_value",
    "heating_value_zone",
    "historical_statement_transactions",
    "historical_statements",
    "import_supplier",
    "installation_id",
    "installation_type",
    "installed_on",
    "is_debt_repayment_plan",
    "is_landlord",
    "is_pinned",
    "is_reversed",
    "issued_date",
    "jurisdiction",
    "kpa_value",
    "last_billed_to_date",
    "last_payment_review_date",
    "last_statement_balance",
    "last_statement_closing_date",
    "last_statement_issue_date",
    "ledger_balance",
    "ledgers",
    "line_items",
    "lnsp_id",
    "make_and_model",
    "manufacturer",
    "market",
    "master_data",
    "mdp_id",
    "means",
    "measurement_type",
    "meter_data_providers",
    "meter_installation_type",
    "meter_measurement_unit",
    "meter_multiplier",
    "meter_points",
    "meter_position",
    "meter_read_frequency",
    "meter_serial_number",
    "meter_status",
    "meter_type",
    "meter_type_size_code",
    "meters",
    "mirn_status",
    "model",
    "model_number",
    "mpxn",
    "multiplier",
    "net_amount",
    "network_id",
    "next_bill_due_date",
    "next_scheduled_read_date",
    "nmi_classification",
    "nmi_status_periods",
    "notes",
    "number_of_dials",
    "number_of_dials_on_device",
    "number_of_units",
    "occurred_at",
    "parent_installation_id",
    "parent_mirn",
    "parent_nmi",
    "party",
    "payment_instructions",
    "payment_schedules",
    "payment_type",
    "plant_fuel_type",
    "plant_temperature",
    "pressure_correction_factor",
    "prev_reading_date",
    "price_per_unit",
    "pricing_zone",
    "product_code",
    "rate",
    "rate_band",
    "read_method",
    "read_type_frequency",
    "read_type_method",
    "read_type_mode",
    "reading_date",
    "reading_history",
    "reading_quality",
    "reading_route",
    "reading_route_sequence",
    "reading_type",
    "reading_value",
    "reason",
    "register_id",
    "registers",
    "removed_on",
    "role",
    "role_assignments",
    "sales_channel",
    "sales_subchannel",
    "service_account_number",
    "shared_isolation_flag",
    "start_at",
    "start_date",
    "statement_id",
    "statements",
    "status",
    "subcategory",
    "suffix",
    "supply_addresses",
    "supply_end_date",
    "supply_point_code",
    "supply_point_id",
    "supply_start_date",
    "supply_type",
    "tariff_code",
    "tax_items",
    "tax_type",
    "temperature_sensitivity_factor",
    "time_of_day",
    "to_date",
    "total_consumption",
    "total_consumption_cost",
    "total_feed_in_cost",
    "total_feed_in_energy",
    "total_supply_cost",
    "transaction_date",
    "transaction_id",
    "transfer_balance",
    "transfer_readings",
    "transmission_zone",
    "type",
    "unit_of_measure",
    "unit_type",
    "units",
    "unknown_occupier",
    "unpin_at",
    "valid_from",
    "value_taxed",
    "vendor",
    "verified_at",
    "verified_payment_instructions",
    "volume_flow",
];

/// How much of what stands below is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mask {
    /// Nothing: it was asked for.
    Nothing,
    /// Whatever is not known to tell nothing of a person.
    Personal,
    /// Everything.
    All,
}

impl Mask {
    /// That of a member.
    pub(super) fn of(self, name: &str) -> Self {
        match self {
            Self::Personal if PERSONAL.contains(&name) || SHOWN.binary_search(&name).is_err() => Self::All,
            mask => mask,
        }
    }

    /// Whether a value is masked.
    pub(super) fn hides(self) -> bool {
        self == Self::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Every member of an account, of a statement added since, and of what we add.
    fn members() -> BTreeSet<String> {
        let mut names: BTreeSet<String> =
            ["customer_emails", "service_account_number", "historical_statements"]
                .into_iter()
                .chain(["verified_payment_instructions", "verified_at"])
                .map(str::to_owned)
                .collect();
        for schema in ["account", "historical-statements"] {
            let path = format!("{}/../../docs/schema/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
            let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            collect(&schema, &mut names);
        }
        names
    }

    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            names.extend(members.keys().cloned());
        }
        match schema {
            Value::Object(members) => members.values().for_each(|value| collect(value, names)),
            Value::Array(items) => items.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }

    #[test]
    fn what_is_shown_is_sorted_and_is_there() {
        assert!(SHOWN.is_sorted() && PERSONAL.is_sorted());
        let members = members();
        for name in SHOWN.iter().chain(PERSONAL) {
            assert!(members.contains(*name), "{name}");
        }
    }

    #[test]
    fn what_is_masked() {
        let masked: Vec<_> = members().into_iter().filter(|name| Mask::Personal.of(name).hides()).collect();
        insta::assert_snapshot!(masked.join("\n"));
    }

    #[test]
    fn below_people_everything_is_masked() {
        assert!(Mask::Personal.of("customers").of("role").hides());
        assert!(!Mask::Personal.of("ledgers").of("ledger_balance").hides());
        assert!(!Mask::Nothing.of("customers").of("email").hides());
    }
}
