use super::holds::{self, GateChange};
use super::scope::Scoped;
use super::{Audited, Operations, OperatorError};
use crate::port::{
    AuditAction, AuditFilter, Detail, HoldOnErrors, NewFeedEvent, Rows, StoreError, Subject, Supplier,
    SupplierSettings, Waves,
};
use chrono::{DateTime, Utc};
use cutover_core::{FeedEventType, Level, SupplierCode, SupplierStatus, Word, Zone};
use cutover_rules::{Country, Profile, ProfileName, RuleValue, UndocumentedMembers};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A change of a supplier's settings. `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default)]
pub struct SupplierChange {
    /// The revision of the settings that the operator has seen. The change is refused if they have another one. Required
    /// for waves and for the share of failures.
    pub revision: Option<i64>,
    /// Its status.
    pub status: Option<SupplierStatus>,
    /// The root of its documents.
    pub document_root: Option<String>,
    /// If set, documents named in payloads must exist.
    pub verify_documents: Option<bool>,
    /// If set, the retailer's mailer may write to customers of imported accounts.
    pub send_customer_emails: Option<bool>,
    /// If set, every import is a dry run.
    pub dry_run: Option<bool>,
    /// Maximum number of concurrent imports; `Some(None)` removes the limit.
    pub max_concurrent_imports: Option<Option<u32>>,
    /// The zone of its dates.
    pub time_zone: Option<Zone>,
    /// The profile whose levels rules have.
    pub profile: Option<ProfileName>,
    /// The country whose forms rules judge.
    pub country: Option<Country>,
    /// What becomes of members that the contract does not document.
    pub undocumented_members: Option<UndocumentedMembers>,
    /// New values that rules compare payloads with.
    pub rule_values: Vec<RuleValue>,
    /// Levels of rules; `None` resets one to that of the profile.
    pub rules: BTreeMap<String, Option<Level>>,
    /// The waves of its imports, which begin anew.
    pub waves: Option<Waves>,
    /// The share of failures over which its imports are held; `Some(None)` removes it.
    pub hold_on_errors: Option<Option<HoldOnErrors>>,
    /// If set, the supplier may start and end runs itself.
    pub supplier_runs: Option<bool>,
}

impl SupplierChange {
    /// Returns true if it changes nothing.
    pub fn is_none(&self) -> bool {
        self.detail().is_empty()
    }

    /// Returns the changed settings for the audit trail, named like the options of commands.
    fn detail(&self) -> Detail {
        let Self { status, document_root, verify_documents, send_customer_emails, dry_run, .. } = self;
        let bound =
            self.max_concurrent_imports.map(|bound| bound.map_or("none".to_owned(), |n| n.to_string()));
        let detail = Detail::default()
            .word_if("status", *status)
            .word_if("document-root", document_root.as_deref())
            .word_if("verify-documents", *verify_documents)
            .word_if("send-customer-emails", *send_customer_emails)
            .word_if("dry-run", *dry_run)
            .word_if("supplier-runs", self.supplier_runs)
            .word_if("max-concurrent-imports", bound)
            .word_if("time-zone", self.time_zone.map(Zone::name))
            .word_if("profile-name", self.profile)
            .word_if("country", self.country)
            .word_if("undocumented-members", self.undocumented_members.as_ref())
            .word_if("waves", self.waves.as_ref().map(shown_waves))
            .word_if(
                "hold-on-errors",
                self.hold_on_errors.map(|share| share.map_or("none".to_owned(), |share| share.to_string())),
            );
        let detail = self.rule_values.iter().fold(detail, |detail, value| detail.word(value.name(), value));
        let level = |level: &Option<Level>| level.map_or("default", Level::as_str);
        self.rules.iter().fold(detail, |detail, (rule, set)| detail.word(rule, level(set)))
    }

    /// Returns which settings of its gate change.
    fn gates(&self) -> GateChange {
        GateChange { waves: self.waves.is_some(), errors: self.hold_on_errors.is_some() }
    }

    pub(super) fn apply(self, settings: &mut SupplierSettings) -> Result<(), OperatorError> {
        let Self { status, document_root, verify_documents, send_customer_emails, dry_run, .. } = self;
        replace(&mut settings.status, status.map(Word::from));
        replace(&mut settings.document_root, document_root.map(|root| normal_root(&root)).transpose()?);
        replace(&mut settings.verify_documents, verify_documents);
        replace(&mut settings.send_customer_emails, send_customer_emails);
        replace(&mut settings.dry_run, dry_run);
        replace(&mut settings.max_concurrent_imports, self.max_concurrent_imports);
        replace(&mut settings.time_zone, self.time_zone);
        replace(&mut settings.waves, self.waves);
        replace(&mut settings.hold_on_errors, self.hold_on_errors);
        replace(&mut settings.supplier_runs, self.supplier_runs);
        replace(&mut settings.profile, self.profile.map(Word::from));
        replace(&mut settings.country, self.country.map(Word::from));
        replace(&mut settings.undocumented_members, self.undocumented_members);
        let values = Arc::make_mut(&mut settings.rule_values);
        self.rule_values.into_iter().for_each(|value| value.apply(values));
        for (rule, level) in self.rules {
            let level_of_rule = [(rule.as_str(), level.unwrap_or(Level::Off))];
            Profile::new(level_of_rule).map_err(|e| OperatorError::Refused(e.to_string()))?;
            match level {
                Some(level) => settings.rules.insert(rule, level.into()),
                None => settings.rules.remove(&rule),
            };
        }
        Ok(())
    }
}

fn shown_waves(waves: &Waves) -> String {
    if waves.is_none() { "none".to_owned() } else { waves.to_string() }
}

fn replace<T>(old: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *old = new;
    }
}

/// Normalises a document root: `/` and plain segments, none of which leads elsewhere.
fn normal_root(root: &str) -> Result<String, OperatorError> {
    let refused =
        || OperatorError::Refused(format!("{root:?} is not a document root, which is / and plain segments"));
    let path = root.strip_prefix('/').ok_or_else(refused)?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let plain = |s: &str| {
        let odd = |c: char| c.is_control() || matches!(c, '\\' | '%' | '?' | '#' | ':');
        !s.is_empty() && s != "." && s != ".." && !s.contains(odd)
    };
    if path.split('/').all(plain) { Ok(format!("/{path}")) } else { Err(refused()) }
}

/// Returns true if one root equals or contains the other.
fn overlap(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(a, b) || within(b, a)
}

/// Refuses a document root that overlaps another organisation's (contract D1).
fn check_root(tx: &mut Scoped<'_>, organisation_id: i64, root: &str) -> Result<(), OperatorError> {
    match tx.has_foreign_root(organisation_id, |other| overlap(other, root))? {
        true => {
            Err(OperatorError::Refused(format!("the document root {root:?} overlaps another organisation's")))
        }
        false => Ok(()),
    }
}

impl Operations<'_> {
    /// Adds an import supplier.
    ///
    /// # Errors
    /// [`OperatorError`]: no such organisation, the code is taken or illegal, a setting is refused.
    pub fn add_supplier(
        &self,
        code: &str,
        organisation: &str,
        change: SupplierChange,
    ) -> Result<Supplier, OperatorError> {
        let code: SupplierCode = code.parse().map_err(|e| OperatorError::Refused(format!("{e}")))?;
        let (organisation, detail) = (organisation.to_owned(), change.detail());
        let gates = change.gates();
        let mut settings = SupplierSettings::new(code.as_str());
        change.apply(&mut settings)?;
        self.act(AuditAction::SupplierAdded, move |tx, clock| {
            let owner = tx.organisation(&organisation)?;
            tx.lock_suppliers()?;
            check_root(tx, owner.id, &settings.document_root)?;
            let exists = || OperatorError::Exists { what: "supplier", name: code.to_string() };
            let added = tx.add_supplier(owner.id, &code, &settings, clock.now())?.ok_or_else(exists)?;
            holds::set_gate(tx, &added, gates, clock)?;
            let audited = Audited { subject: Subject::supplier(&added), detail };
            Ok((added, audited))
        })
    }

    /// Changes the settings of an import supplier.
    ///
    /// # Errors
    /// [`OperatorError`]: no such supplier, a setting is refused, or the settings are not those that the operator has seen;
    /// nothing is changed then.
    pub fn set_supplier(&self, code: &str, change: SupplierChange) -> Result<Supplier, OperatorError> {
        let code = code.to_owned();
        let supplier = self.act(AuditAction::SupplierSet, move |tx, clock| {
            tx.lock_suppliers()?;
            let mut supplier = tx.supplier(&code)?;
            if tx.erasure_of(supplier.id)?.is_some() {
                return Err(OperatorError::Refused("it is being erased: its settings stay".into()));
            }
            let audited = Audited { subject: Subject::supplier(&supplier), detail: change.detail() };
            let (before, gates) = (supplier.settings.status.clone(), change.gates());
            check_are_shown(tx, &supplier, change.revision, gates)?;
            change.apply(&mut supplier.settings)?;
            check_root(tx, supplier.organisation_id, &supplier.settings.document_root)?;
            tx.set_supplier(supplier.id, &supplier.settings)?;
            holds::set_gate(tx, &supplier, gates, clock)?;
            supplier.revision += 1;
            if supplier.settings.status != before {
                publish_status(tx.rows(), &supplier, clock.now())?;
            }
            Ok((supplier, audited))
        })?;
        self.app.suppliers.remove(&supplier.code);
        self.app.wake.notify_one();
        self.app.store.notify_workers();
        Ok(supplier)
    }

    /// Returns an import supplier.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this code.
    pub fn show_supplier(&self, code: &str) -> Result<Supplier, OperatorError> {
        self.read_committed(|tx| tx.supplier(code))
    }

    /// Returns the import suppliers, by code.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn suppliers(&self) -> Result<Vec<Supplier>, OperatorError> {
        self.read(|tx| Ok(tx.suppliers()?))
    }

    /// Returns the zone for times that concern several suppliers or none: the one that all of them share, or all of an
    /// organisation, otherwise UTC.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if the suppliers could not be read.
    pub fn common_zone(&self, organisation: Option<&str>) -> Result<Zone, OperatorError> {
        let suppliers = self.suppliers()?;
        let is_asked = |supplier: &&Supplier| organisation.is_none_or(|name| supplier.organisation == name);
        Ok(shared_zone(suppliers.iter().filter(is_asked)))
    }

    /// Returns the zone for times that concern one supplier, by its code: its own, or the common one if there is no such
    /// supplier any more.
    ///
    /// # Errors
    /// As [`common_zone`](Self::common_zone).
    pub fn zone_of(&self, code: &str) -> Result<Zone, OperatorError> {
        match self.show_supplier(code) {
            Ok(supplier) => Ok(supplier.settings.time_zone),
            Err(OperatorError::NotFound { .. }) => self.common_zone(None),
            Err(error) => Err(error),
        }
    }
}

/// Refuses a change if the settings are not those that the operator has seen.
fn check_are_shown(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    shown: Option<i64>,
    gates: GateChange,
) -> Result<(), OperatorError> {
    let Supplier { id, code, settings, revision, .. } = supplier;
    match shown {
        Some(shown) if shown == *revision => return Ok(()),
        None if !gates.waves && !gates.errors => return Ok(()),
        None => {
            let share = settings.hold_on_errors.map_or("none".to_owned(), |share| share.to_string());
            return Err(OperatorError::Changed(format!(
                "waves and hold-on-errors are changed only by somebody who has seen them: {code} has the waves {} and \
                 hold-on-errors {share}, in revision {revision} of its settings",
                shown_waves(&settings.waves)
            )));
        }
        Some(_) => {}
    }
    let action = Some(AuditAction::SupplierSet);
    let filter = AuditFilter { supplier_id: Some(*id), action, ..AuditFilter::default() };
    let last = tx.audit_records(filter, 1)?.pop().map_or(String::new(), |record| {
        let detail: Vec<_> = record.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
        let at = settings.time_zone.local(record.at).format("%Y-%m-%d %H:%M:%S");
        format!(", the last time at {at} ({}) by {}: {}", settings.time_zone, record.by, detail.join(", "))
    });
    Err(OperatorError::Changed(format!(
        "the settings of {code} have been changed since they were shown{last}. Look at them again"
    )))
}

/// Returns the zone that suppliers have in common, otherwise UTC.
pub(super) fn shared_zone<'s>(suppliers: impl Iterator<Item = &'s Supplier>) -> Zone {
    let mut zones = suppliers.map(|supplier| supplier.settings.time_zone);
    let first = zones.next().unwrap_or_default();
    if zones.all(|zone| zone == first) { first } else { Zone::UTC }
}

/// Publishes the new status of a supplier.
fn publish_status(tx: &mut dyn Rows, supplier: &Supplier, at: DateTime<Utc>) -> Result<(), StoreError> {
    let event_type = match supplier.settings.status.known() {
        Some(SupplierStatus::Ongoing) => FeedEventType::SupplierResumed,
        Some(SupplierStatus::Paused) => FeedEventType::SupplierPaused,
        Some(SupplierStatus::Complete) => FeedEventType::SupplierCompleted,
        // No change sets one of a newer version.
        None => return Ok(()),
    };
    tx.publish(&NewFeedEvent {
        supplier_id: supplier.id,
        event_type,
        occurred_at: at,
        external_account_number: None,
        service_account_number: None,
        data: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_plain() {
        assert_eq!(normal_root("/a/b/").unwrap(), "/a/b");
        for bad in ["", "a", "/", "//", "/a//b", "/a/../b", "/.", "/a\\b", "/%2e%2e", "/a\0"] {
            assert!(normal_root(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn roots_overlap_by_segments() {
        assert!(overlap("/a", "/a"));
        assert!(overlap("/a/b", "/a"));
        assert!(overlap("/a", "/a/b"));
        assert!(!overlap("/a", "/a2"));
    }
}
