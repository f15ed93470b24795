use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::{Level, SupplierCode, SupplierStatus, Word, Zone};
use cutover_model::RuleValues;
use cutover_rules::{Country, Profile, ProfileName, UndocumentedMembers};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Settings of an import supplier (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierSettings {
    /// Its status. It accepts no accounts in a status of a newer version.
    pub status: Word<SupplierStatus>,
    /// The root of its documents: `/` and plain segments. Default `/<code>`.
    pub document_root: String,
    /// If set, documents named in payloads must exist.
    pub verify_documents: bool,
    /// If set, the retailer's mailer may write to customers of imported accounts.
    pub send_customer_emails: bool,
    /// If set, every import is a dry run.
    pub dry_run: bool,
    /// Maximum number of concurrent imports over all nodes.
    pub max_concurrent_imports: Option<u32>,
    /// The zone of its dates and its datetimes without offset.
    pub time_zone: Zone,
    /// The profile whose levels rules have (rules 1.5). One of a newer version counts as the standard one.
    pub profile: Word<ProfileName>,
    /// The country whose forms rules judge (rules 1.11). One of a newer version counts as the default one.
    pub country: Word<Country>,
    /// What becomes of members that the contract does not document.
    pub undocumented_members: UndocumentedMembers,
    /// What rules compare payloads with.
    pub rule_values: Arc<RuleValues>,
    /// Levels of single rules, by id, which take precedence (rules 1.5). One of a newer version counts as none.
    pub rules: BTreeMap<String, Word<Level>>,
    /// The waves in which its accounts are imported.
    pub waves: Waves,
    /// The share of failures over which its imports are held.
    pub hold_on_errors: Option<HoldOnErrors>,
    /// If set, the supplier may start and end runs itself.
    pub supplier_runs: bool,
}

impl SupplierSettings {
    /// Returns the levels of rules. Skips what this version does not know: a newer one wrote it.
    pub fn levels(&self) -> Profile {
        let name = self.profile.known().copied().unwrap_or_default();
        let named = Profile::named(name, self.country.known().copied().unwrap_or_default());
        let levels = self.rules.iter().filter_map(|(id, level)| Some((id.as_str(), *level.known()?)));
        let levels = levels.filter(|(id, _)| cutover_rules::rule(id).is_some_and(|rule| !rule.fixed));
        let profile = named.clone().with(levels).unwrap_or(named);
        profile.with_undocumented(self.undocumented_members.clone()).with_values(self.rule_values.clone())
    }

    /// The settings of a new supplier before any is changed.
    pub fn new(code: &str) -> Self {
        Self {
            status: SupplierStatus::Ongoing.into(),
            document_root: format!("/{code}"),
            verify_documents: false,
            send_customer_emails: false,
            dry_run: false,
            max_concurrent_imports: None,
            time_zone: Zone::UTC,
            profile: Word::default(),
            country: Word::default(),
            undocumented_members: UndocumentedMembers::default(),
            rule_values: Arc::default(),
            rules: BTreeMap::new(),
            waves: Waves::default(),
            hold_on_errors: None,
            supplier_runs: false,
        }
    }
}

/// Maximum number of waves, and of accounts in the window of [`HoldOnErrors`], which bound a row.
const MAX_WAVES: usize = 100;
const MAX_WINDOW: u32 = 10_000;
/// The word for all accounts after the last wave.
const REST: &str = "rest";

/// Numbers of accounts after each of which imports are held, written `100,5000,rest`. The rest follows the last
/// number. Empty: there are no waves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waves(Vec<u32>);

impl Waves {
    /// Returns true if there are no waves.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of waves, with the rest.
    pub fn count(&self) -> usize {
        if self.is_none() { 0 } else { self.0.len() + 1 }
    }

    /// Returns the number of accounts of a wave, counted from 1; `None` for the rest.
    pub fn size(&self, wave: u32) -> Option<u64> {
        let index = usize::try_from(wave).ok()?.checked_sub(1)?;
        self.0.get(index).map(|size| u64::from(*size))
    }
}

impl fmt::Display for Waves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|size| write!(f, "{size},"))?;
        f.write_str(REST)
    }
}

impl FromStr for Waves {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "not numbers of accounts from 1 and then rest, for example 100,5000,rest";
        let size = |size: &str| size.trim().parse().ok().filter(|size| *size > 0);
        let mut sizes: Vec<&str> = text.split(',').collect();
        if sizes.last().is_some_and(|last| last.trim() == REST) {
            sizes.pop();
        }
        match sizes.into_iter().map(size).collect::<Option<Vec<u32>>>() {
            Some(sizes) if sizes.len() > MAX_WAVES => Err("more than 100 waves"),
            Some(sizes) if !sizes.is_empty() => Ok(Self(sizes)),
            _ => Err(FORM),
        }
    }
}

/// The share of failures over which imports are held, written `PERCENT/WINDOW`, such as `1/200`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldOnErrors {
    /// Hundredths of a percent.
    hundredths: u32,
    /// Number of the last accounts that the share is about.
    pub window: u32,
}

impl HoldOnErrors {
    /// Returns how many accounts of the window may fail.
    pub fn limit(self) -> u32 {
        // The share is below 100 percent, so the limit is below the window.
        (u64::from(self.hundredths) * u64::from(self.window) / 10_000) as u32
    }
}

impl HoldOnErrors {
    /// Returns how many of a number of accounts may fail: the share of them, but as many as of a whole window.
    pub fn allowed(self, accounts: u64) -> u64 {
        let share = u128::from(self.hundredths) * u128::from(accounts) / 10_000;
        u64::try_from(share).unwrap_or(u64::MAX).max(self.limit().into())
    }
}

impl fmt::Display for HoldOnErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.hundredths / 100, self.hundredths % 100) {
            (whole, 0) => write!(f, "{whole}/{}", self.window),
            (whole, part) if part % 10 == 0 => write!(f, "{whole}.{}/{}", part / 10, self.window),
            (whole, part) => write!(f, "{whole}.{part:02}/{}", self.window),
        }
    }
}

impl FromStr for HoldOnErrors {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str =
            "not a percentage from 0 to 99.99 and a number of accounts from 1 to 10000, for example 1/200";
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (percent, window) = text.split_once('/').ok_or(FORM)?;
        let (whole, part) = percent.split_once('.').unwrap_or((percent, "0"));
        if !is_number(whole) || !is_number(part) || part.len() > 2 || !is_number(window) {
            return Err(FORM);
        }
        let whole: u32 = whole.parse().map_err(|_| FORM)?;
        let part: u32 = format!("{part:0<2}").parse().map_err(|_| FORM)?;
        let window: u32 = window.parse().map_err(|_| FORM)?;
        match whole < 100 && (1..=MAX_WINDOW).contains(&window) {
            true => Ok(Self { hundredths: whole * 100 + part, window }),
            false => Err(FORM),
        }
    }
}

/// An import supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplier {
    /// The store's key.
    pub id: i64,
    /// The organisation that owns it.
    pub organisation_id: i64,
    /// The name of that organisation.
    pub organisation: String,
    /// Its code, unique in the installation.
    pub code: SupplierCode,
    /// Its settings.
    pub settings: SupplierSettings,
    /// The revision of the settings, incremented by each change.
    pub revision: i64,
    /// The id of the certificate key that the marks of its erased accounts are made with; `None` if it has no marks.
    pub mark_key: Option<String>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Queries of import suppliers.
pub trait Suppliers {
    /// Adds a supplier; `None` if the code is taken.
    fn add_supplier(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
        settings: &SupplierSettings,
        at: DateTime<Utc>,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Locks all suppliers against other holders of this lock until the transaction ends. Settings that are
    /// read after it do not change until this transaction changes them.
    fn lock_suppliers(&mut self) -> Result<(), StoreError>;

    /// Replaces the settings of a supplier and increments its revision.
    fn set_supplier(&mut self, id: i64, settings: &SupplierSettings) -> Result<(), StoreError>;

    /// Returns the supplier with this code if the organisation owns it. A supplier of another organisation
    /// costs no more work than an absent one (contract D1).
    fn supplier_of(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError>;

    /// Returns true if a supplier that was read before still has the same revision. Reads much less than the
    /// supplier.
    fn is_current(&mut self, supplier: &Supplier) -> Result<bool, StoreError>;

    /// Returns the supplier with this key.
    fn supplier_by_id(&mut self, id: i64) -> Result<Option<Supplier>, StoreError>;

    /// Returns the suppliers with these keys, in any order.
    fn suppliers_by_ids(&mut self, ids: &[i64]) -> Result<Vec<Supplier>, StoreError>;
}

/// Queries that find suppliers of any organisation.
pub trait AnySuppliers {
    /// Returns the supplier with this code, of any organisation.
    fn supplier(&mut self, code: &SupplierCode) -> Result<Option<Supplier>, StoreError>;

    /// Returns the suppliers of an organisation, or of all, by code.
    fn suppliers(&mut self, organisation_id: Option<i64>) -> Result<Vec<Supplier>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_numbers_and_the_rest() {
        let waves: Waves = "100,5000,rest".parse().unwrap();
        assert_eq!(
            (waves.size(1), waves.size(2), waves.size(3), waves.size(0)),
            (Some(100), Some(5_000), None, None)
        );
        assert_eq!(waves.to_string(), "100,5000,rest");
        assert_eq!("100, 5000".parse(), Ok(waves));
        for bad in ["", "rest", "0", "100,0,rest", "rest,100", "100,,rest", "-1", "1.5", "all"] {
            assert!(bad.parse::<Waves>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_is_a_percentage_and_a_window() {
        for (text, limit) in
            [("1/200", 2), ("0/50", 0), ("0.5/200", 1), ("12.25/100", 12), ("99.99/10000", 9_999)]
        {
            let share: HoldOnErrors = text.parse().unwrap();
            assert_eq!((share.to_string().as_str(), share.limit()), (text, limit));
        }
        for bad in
            ["", "1", "1/0", "/5", "100/5", "1/10001", "-1/5", "1.234/5", "1./5", "+1/5", "1/200/3", "none"]
        {
            assert!(bad.parse::<HoldOnErrors>().is_err(), "{bad}");
        }
    }
}
