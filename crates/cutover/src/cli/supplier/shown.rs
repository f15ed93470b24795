use crate::output::{Answer, Row, ZonedTime, pairs, plain};
use cutover_app::port::{ChangedLevel, Hold, LevelSource, Operator, Supplier, set_values};
use cutover_core::Zone;
use cutover_model::{HoldReasonShown, HoldShown, RuleValues, Timestamp};
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
    profile: String,
    country: String,
    undocumented_members: String,
    rule_values: RuleValues,
    rules: BTreeMap<String, String>,
    levels: Vec<LevelShown>,
    waves: Option<String>,
    hold_on_errors: Option<String>,
    supplier_runs: bool,
    revision: i64,
    hold: Option<HeldShown>,
    created_at: ZonedTime,
}

impl Shown {
    pub(super) fn of(supplier: &Supplier, hold: Option<&Hold>) -> Self {
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
            profile: settings.profile.to_string(),
            country: settings.country.to_string(),
            undocumented_members: settings.undocumented_members.to_string(),
            rule_values: (*settings.rule_values).clone(),
            rules: rules.collect(),
            levels: settings.levels().changes().map(LevelShown::of).collect(),
            waves: (!settings.waves.is_none()).then(|| settings.waves.to_string()),
            hold_on_errors: settings.hold_on_errors.map(|share| share.to_string()),
            supplier_runs: settings.supplier_runs,
            revision: supplier.revision,
            hold: hold.map(|hold| HeldShown::of(hold, settings.time_zone)),
            created_at: ZonedTime::local(supplier.created_at, settings.time_zone),
        }
    }
}

/// The level of a rule that is not its default.
#[derive(Debug, Serialize)]
struct LevelShown {
    rule: &'static str,
    level: &'static str,
    /// What set it: `profile`, `country` or `rule`.
    source: &'static str,
}

impl LevelShown {
    fn of(change: ChangedLevel) -> Self {
        let source = match change.source {
            LevelSource::Profile => "profile",
            LevelSource::Country => "country",
            LevelSource::Rule => "rule",
        };
        Self { rule: change.rule.id.0, level: change.level.as_str(), source }
    }
}

/// A hold as operators see it: with the owners of its reasons.
#[derive(Debug, Serialize)]
pub(super) struct HeldShown {
    #[serde(flatten)]
    hold: HoldShown,
    /// The operator who gave each reason, oldest first; null if the service did.
    owners: Vec<Option<String>>,
}

impl HeldShown {
    pub(super) fn of(hold: &Hold, zone: Zone) -> Self {
        let owners = hold.reasons().map(|reason| reason.owner.as_ref().map(Operator::to_string)).collect();
        Self { hold: hold.shown(zone), owners }
    }

    /// Says why and since when imports are held.
    pub(super) fn text(&self) -> String {
        let Self { hold, owners } = self;
        let why = |by: &str, owner: Option<&String>| match by {
            "operator" => {
                let owner = owner.map(|owner| format!(" ({})", plain(owner))).unwrap_or_default();
                format!("by an operator{owner}")
            }
            "supplier" => {
                let owner = owner.map(|owner| format!(" ({})", plain(owner))).unwrap_or_default();
                format!("by the supplier itself{owner}")
            }
            "wave" => format!("after wave {}", hold.wave.unwrap_or_default()),
            "error_rate" => "because too many accounts failed".to_owned(),
            other => format!("by {other}"),
        };
        let reason = |because: &Option<String>| {
            because.as_ref().map(|because| format!(": {}", plain(because))).unwrap_or_default()
        };
        let window = hold.window.map(|window| format!(" of the last {window}")).unwrap_or_default();
        let mut owners = owners.iter().map(Option::as_ref);
        let first = format!(
            "{} since {}, {} ended and {} failed{window}{}",
            why(&hold.by, owners.next().flatten()),
            hold.since,
            hold.ended,
            hold.failed,
            reason(&hold.because)
        );
        let also = hold.also.iter().zip(owners).map(|(HoldReasonShown { by, since, because }, owner)| {
            format!("; also {} since {since}{}", why(by, owner), reason(because))
        });
        std::iter::once(first).chain(also).collect()
    }
}

/// Describes a hold, with the command that ends it as it is shown.
pub(super) fn with_command(code: &str, hold: &Hold, zone: Zone) -> String {
    let since = Timestamp(zone.local(hold.latest().since));
    let held = HeldShown::of(hold, zone).text();
    format!("{held}. This ends it: cutover supplier release {code} --held-since {since}")
}

fn yes_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

impl Answer for Shown {
    fn text(&self) -> String {
        let levels = |source| {
            let of = self.levels.iter().filter(|level| level.source == source);
            Vec::from_iter(of.map(|of| format!("{}={}", of.rule, of.level))).join(" ")
        };
        let with_levels = |name: &str, source| match levels(source) {
            levels if levels.is_empty() => name.to_owned(),
            levels => format!("{name}: {levels}"),
        };
        let values: Vec<String> =
            set_values(&self.rule_values).iter().map(|value| format!("{}={value}", value.name())).collect();
        // Also those of a newer version, which have no effect.
        let rules: Vec<String> = self.rules.iter().map(|(id, level)| format!("{id}={level}")).collect();
        let bound = self.max_concurrent_imports.map_or("none".to_owned(), |n| n.to_string());
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
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
            ("profile", with_levels(&self.profile, "profile")),
            ("country", with_levels(&self.country, "country")),
            ("undocumented members", self.undocumented_members.clone()),
            ("rule values", if values.is_empty() { "by default".to_owned() } else { values.join(" ") }),
            ("rules", if rules.is_empty() { "as in the profile".to_owned() } else { rules.join(" ") }),
            ("waves", or_none(&self.waves)),
            ("hold on errors", or_none(&self.hold_on_errors)),
            ("supplier runs", yes_no(self.supplier_runs)),
            ("revision", self.revision.to_string()),
            ("held", self.hold.as_ref().map_or("no".to_owned(), HeldShown::text)),
            ("added", self.created_at.to_string()),
        ])
    }
}

/// A supplier in a list: JSON has all of it, text the main columns.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Listed(Shown);

impl Listed {
    pub(super) fn of(supplier: &Supplier, hold: Option<&Hold>) -> Self {
        Self(Shown::of(supplier, hold))
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
            if shown.hold.is_some() { format!("{}, held", shown.status) } else { shown.status.clone() },
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
    pub(super) fn added(supplier: &Supplier, hold: Option<&Hold>) -> Self {
        Self { supplier: Shown::of(supplier, hold), action: "Added" }
    }

    pub(super) fn set(supplier: &Supplier, hold: Option<&Hold>) -> Self {
        Self { supplier: Shown::of(supplier, hold), action: "Set" }
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
    use cutover_app::port::ProfileName;
    use cutover_app::port::{HoldCause, HoldReason, SupplierSettings};
    use cutover_core::{Level, SupplierStatus, Word};

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
                waves: "100,5000,rest".parse().unwrap(),
                hold_on_errors: Some("1/200".parse().unwrap()),
                supplier_runs: false,
                profile: ProfileName::Strict.into(),
                country: Word::default(),
                undocumented_members: "market_type".parse().unwrap(),
                rule_values: RuleValues { jump_factor: Some(20), ..RuleValues::default() }.into(),
            },
            revision: 0,
            mark_key: None,
            created_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        }
    }

    fn hold() -> Hold {
        Hold {
            first: HoldReason {
                by: HoldCause::ErrorRate.into(),
                owner: None,
                since: "2026-11-21T01:00:00Z".parse().unwrap(),
                because: None,
            },
            also: vec![HoldReason {
                by: HoldCause::Operator.into(),
                owner: Some(Operator::read("ada")),
                since: "2026-11-21T01:05:00Z".parse().unwrap(),
                because: Some("wrong tariffs".into()),
            }],
            wave: Some(2),
            ended: 57,
            failed: 3,
            window: Some(200),
        }
    }

    #[test]
    fn the_json_has_the_names_of_the_settings() {
        insta::assert_json_snapshot!(Shown::of(&supplier(), Some(&hold())));
    }

    #[test]
    fn the_text_has_a_line_per_setting() {
        insta::assert_snapshot!(Done::set(&supplier(), Some(&hold())).text());
    }
}
