use crate::output::{Answer, Row, ZonedTime, pairs};
use cutover_app::port::Supplier;
use serde::Serialize;
use std::collections::BTreeMap;

/// A supplier with the setting names of contract D1.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    code: String,
    organisation: String,
    status: String,
    document_root: String,
    verify_documents: bool,
    send_customer_emails: bool,
    dry_run: bool,
    max_concurrent_imports: Option<u32>,
    time_zone: &'static str,
    rules: BTreeMap<String, String>,
    created_at: ZonedTime,
}

impl From<&Supplier> for Shown {
    fn from(supplier: &Supplier) -> Self {
        let settings = &supplier.settings;
        let rules = settings.rules.iter().map(|(id, level)| (id.clone(), level.to_string()));
        Self {
            code: supplier.code.to_string(),
            organisation: supplier.organisation.clone(),
            status: settings.status.to_string(),
            document_root: settings.document_root.clone(),
            verify_documents: settings.verify_documents,
            send_customer_emails: settings.send_customer_emails,
            dry_run: settings.dry_run,
            max_concurrent_imports: settings.max_concurrent_imports,
            time_zone: settings.time_zone.name(),
            rules: rules.collect(),
            created_at: ZonedTime::local(supplier.created_at, settings.time_zone),
        }
    }
}

fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

impl Answer for Shown {
    fn text(&self) -> String {
        let rules: Vec<String> = self.rules.iter().map(|(id, level)| format!("{id}={level}")).collect();
        let bound = self.max_concurrent_imports.map_or("none".to_owned(), |n| n.to_string());
        pairs(&[
            ("code", self.code.clone()),
            ("organisation", self.organisation.clone()),
            ("status", self.status.clone()),
            ("document root", self.document_root.clone()),
            ("verify documents", yes_no(self.verify_documents)),
            ("send customer emails", yes_no(self.send_customer_emails)),
            ("dry run", yes_no(self.dry_run)),
            ("max concurrent imports", bound),
            ("time zone", self.time_zone.to_owned()),
            ("rules", if rules.is_empty() { "all at their defaults".to_owned() } else { rules.join(" ") }),
            ("added", self.created_at.to_string()),
        ])
    }
}

/// A supplier in a list: JSON has all of it, text the main columns.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Listed(Shown);

impl From<&Supplier> for Listed {
    fn from(supplier: &Supplier) -> Self {
        Self(supplier.into())
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["CODE", "ORGANISATION", "STATUS", "DRY RUN", "TIME ZONE"];
    const EMPTY: &'static str = "No suppliers yet. `cutover supplier add CODE --organisation NAME` adds one.";

    fn cells(&self) -> Vec<String> {
        let Self(shown) = self;
        vec![
            shown.code.clone(),
            shown.organisation.clone(),
            shown.status.to_owned(),
            yes_no(shown.dry_run),
            shown.time_zone.to_owned(),
        ]
    }
}

/// A supplier after a command.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    #[serde(flatten)]
    supplier: Shown,
    #[serde(skip)]
    action: &'static str,
}

impl Done {
    pub(super) fn added(supplier: &Supplier) -> Self {
        Self { supplier: supplier.into(), action: "Added" }
    }

    pub(super) fn set(supplier: &Supplier) -> Self {
        Self { supplier: supplier.into(), action: "Set" }
    }
}

impl Answer for Done {
    fn text(&self) -> String {
        format!("{} the supplier {}:\n\n{}", self.action, self.supplier.code, self.supplier.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::port::SupplierSettings;
    use cutover_core::{Level, SupplierStatus};

    fn supplier() -> Supplier {
        Supplier {
            id: 1,
            organisation_id: 1,
            organisation: "Acme Energy".into(),
            code: "ACME".parse().unwrap(),
            settings: SupplierSettings {
                status: SupplierStatus::Paused.into(),
                document_root: "/ACME".into(),
                verify_documents: false,
                send_customer_emails: true,
                dry_run: false,
                max_concurrent_imports: Some(4),
                time_zone: "Australia/Melbourne".parse().unwrap(),
                rules: [("PIN-01".to_owned(), Level::Warning.into())].into(),
            },
            revision: 0,
            created_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn the_json_has_the_names_of_the_settings() {
        insta::assert_json_snapshot!(Shown::from(&supplier()));
    }

    #[test]
    fn the_text_has_a_line_per_setting() {
        insta::assert_snapshot!(Done::set(&supplier()).text());
    }
}
