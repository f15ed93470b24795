use super::links;
use super::links::error_code;
use super::tables::{TableFigures, declared_tables};
use super::view::{Count, Moment, counts, duration, grouped};
use chrono::{DateTime, Utc};
use cutover_app::account::{Progress, TopCause, shown_reconciliation, shown_refused};
use cutover_app::operator::{Activity, Migration};
use cutover_core::Zone;
use cutover_model::ManifestShown;
use cutover_process::State;

/// The state of a migration for display.
pub(super) struct Overview {
    pub(super) accounts: String,
    pub(super) imported: String,
    pub(super) failed: String,
    pub(super) has_failed: bool,
    pub(super) waiting: String,
    /// Accounts per minute.
    pub(super) rate: String,
    /// The time left and the expected end.
    pub(super) left: Option<(String, Moment)>,
    pub(super) counts: Vec<Count>,
    pub(super) minutes: Vec<Minute>,
    /// The most frequent errors, then the most frequent warnings.
    pub(super) causes: [Causes; 2],
    pub(super) totals: Vec<(&'static str, String)>,
    /// What is declared, was sent and is imported, by figure, and whether what was sent is as declared.
    pub(super) manifest: Option<(bool, Vec<Declared>)>,
    /// Accounts whose create was refused, and the most frequent causes: code, path and accounts.
    pub(super) refused: String,
    pub(super) has_refused: bool,
    /// Refused payloads without a usable number.
    pub(super) without_number: String,
    pub(super) refused_causes: Vec<(String, String, String)>,
    /// Number of the causes that are not listed.
    pub(super) other_refused: Option<String>,
}

/// A figure of a manifest beside what was sent and imported.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) declared: String,
    pub(super) sent: String,
    /// Sent minus declared.
    pub(super) difference: String,
    pub(super) imported: String,
}

/// The results of one minute.
pub(super) struct Minute {
    pub(super) at: Moment,
    /// Time of day.
    pub(super) time: String,
    /// Seconds since 1970.
    pub(super) second: i64,
    /// Imported, or rehearsed without an error.
    pub(super) imported: u64,
    pub(super) failed: u64,
}

/// The most frequent errors, or the most frequent warnings.
pub(super) struct Causes {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The heading of their column.
    pub(super) kind: &'static str,
    /// The text if there are none.
    pub(super) none: &'static str,
    pub(super) rows: Vec<CauseRow>,
    /// Number of the causes that have no row.
    pub(super) others: Option<String>,
}

/// An error or a warning of accounts.
pub(super) struct CauseRow {
    pub(super) code: String,
    /// The pattern of its path.
    pub(super) attr: Option<String>,
    pub(super) detail: &'static str,
    /// The page that explains the code.
    pub(super) explanation: Option<String>,
    pub(super) count: String,
    /// The link to these accounts.
    pub(super) link: String,
    pub(super) examples: Vec<(String, String)>,
}

impl From<&Migration> for Overview {
    fn from(Migration { supplier, progress, activity, at }: &Migration) -> Self {
        Self::of(supplier.code.as_str(), progress, activity, *at)
    }
}

impl Overview {
    /// Returns the state of the migration of a supplier with this code.
    pub(super) fn of(code: &str, progress: &Progress, activity: &[Activity], at: DateTime<Utc>) -> Self {
        let (zone, refused) = (progress.zone, shown_refused(&progress.refused));
        let sum = |states: &[State]| -> u64 {
            let wanted = progress.counts.iter().filter(|count| states.contains(&count.status));
            wanted.map(|count| count.accounts).sum()
        };
        let number = |number: u64| grouped(&number.to_string());
        let failed = sum(&[State::Errored, State::DryRunErrored]);
        let left = progress.estimated_finish_at.map(|end| (duration(end - at), Moment::new(end, zone)));
        let totals = &progress.reconciliation.imported;
        let mut balance = totals.ledger_balance;
        // Money is shown with cents, even if the sum needs none.
        balance.rescale(balance.scale().max(2));
        Self {
            accounts: number(progress.counts.iter().map(|count| count.accounts).sum()),
            imported: number(sum(&[State::Processed])),
            failed: number(failed),
            has_failed: failed > 0,
            waiting: number(sum(&[State::Pending, State::InProgress])),
            refused: number(progress.refused.accounts),
            has_refused: progress.refused.accounts + progress.refused.without_number > 0,
            without_number: number(progress.refused.without_number),
            other_refused: refused.other_errors.words(),
            refused_causes: refused
                .top_errors
                .into_iter()
                .map(|cause| (cause.code, cause.attr, number(cause.count)))
                .collect(),
            rate: grouped(&progress.rate_per_minute.to_string()),
            left,
            counts: counts(code, &progress.counts),
            minutes: activity.iter().map(|activity| Minute::new(activity, zone)).collect(),
            causes: [
                Causes {
                    id: "errors",
                    title: "Top errors",
                    kind: "Error",
                    none: "No account has failed.",
                    rows: rows(&progress.top_errors, "error_code", code),
                    others: progress.other_errors.words(),
                },
                Causes {
                    id: "warnings",
                    title: "Top warnings",
                    kind: "Warning",
                    none: "No account has a warning.",
                    rows: rows(&progress.top_warnings, "warning_code", code),
                    others: progress.other_warnings.words(),
                },
            ],
            manifest: shown_reconciliation(&progress.reconciliation)
                .map(|shown| (shown.difference.is_none(), declared(&shown))),
            totals: vec![
                ("Accounts", number(totals.accounts)),
                ("Balance of their ledgers", grouped(&balance.to_string())),
                ("Readings", number(totals.readings)),
                ("Transactions", number(totals.transactions)),
                ("Documents", number(totals.documents)),
            ],
        }
    }
}

/// The figures of a manifest, for display.
fn declared(shown: &ManifestShown) -> Vec<Declared> {
    macro_rules! figure {
        ($name:literal, $member:ident) => {{
            Declared {
                name: $name.to_owned(),
                declared: grouped(&shown.declared.$member.to_string()),
                sent: grouped(&shown.sent.$member.to_string()),
                imported: grouped(&shown.imported.$member.to_string()),
                difference: grouped(&shown.difference.$member.to_string()),
            }
        }};
    }
    let of_table = |table: TableFigures| {
        let TableFigures { name, declared, sent, imported, difference, .. } = table;
        Declared { name, declared, sent, imported, difference }
    };
    let figures = [
        figure!("Accounts", accounts),
        figure!("Balance of their ledgers", ledger_balance),
        figure!("Readings", readings),
        figure!("Transactions", transactions),
        figure!("Documents", documents),
    ];
    figures.into_iter().chain(declared_tables(shown).map(of_table)).collect()
}

impl Minute {
    fn new(activity: &Activity, zone: Zone) -> Self {
        Self {
            time: zone.local(activity.minute).format("%H:%M").to_string(),
            at: Moment::new(activity.minute, zone),
            second: activity.minute.timestamp(),
            imported: activity.imported,
            failed: activity.failed,
        }
    }
}

/// Returns the rows for causes, each with a link to the accounts of its code.
fn rows(causes: &[TopCause], parameter: &str, supplier: &str) -> Vec<CauseRow> {
    causes.iter().map(|cause| CauseRow::new(cause, parameter, supplier)).collect()
}

impl CauseRow {
    fn new(cause: &TopCause, parameter: &str, supplier: &str) -> Self {
        let code = cause.code.as_str();
        let newer = "A newer version of the program gave this code. The accounts show what it says.";
        // Other texts are not accepted by the filter.
        let query = error_code(code).map(|code| format!("?{parameter}={code}")).unwrap_or_default();
        let example = |number: &cutover_core::ExternalAccountNumber| {
            (number.to_string(), links::account(supplier, number.as_str()))
        };
        Self {
            code: code.to_owned(),
            attr: cause.attr.clone(),
            explanation: links::explanation(code),
            detail: cause.code.known().map_or(newer, |code| code.detail()),
            count: grouped(&cause.count.to_string()),
            link: format!("{}{query}#accounts", links::supplier(supplier)),
            examples: cause.examples.iter().map(example).collect(),
        }
    }
}
