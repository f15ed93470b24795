//! The settings of a supplier (contract D13).

use super::Timestamp;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

answers! {
    /// A hold of the imports of a supplier (contract D16). Creates are accepted meanwhile and wait.
    HoldShown (Debug, Eq, Serialize, Deserialize) {
        /// `operator`, `supplier` (it asked for that itself), `wave` (all accounts of a wave have ended) or `error_rate` (too
        /// many failed).
        by: String;
        /// When it began.
        since: String, datetime;
        /// The number of the wave that was running, from 1; `null` if the supplier has no waves.
        wave: Option<u32>;
        /// Accounts that had ended since the last release.
        ended: u64;
        /// The number of them that had failed; with `window`, among the last `window` of them.
        failed: u64;
        /// The number of accounts that the share of failures is about; `null` unless held for `error_rate`.
        window: Option<u32>;
        /// The reason that the operator or the supplier gave.
        because: Option<String>;
        /// Further reasons, oldest first. A release by an operator ends all of them.
        also [serde(default)]: Vec<HoldReasonShown>;
    }

    /// A further reason to hold the imports of a supplier (contract D16).
    HoldReasonShown (Debug, Eq, Serialize, Deserialize) {
        /// `operator`, `supplier`, `wave` or `error_rate`.
        by: String;
        /// When it was added.
        since: String, datetime;
        /// The words of the operator or of the supplier.
        because: Option<String>;
    }

    /// What rules compare payloads of a supplier with (contract D1).
    RuleValues (Debug, Eq, Default, Serialize, Deserialize) {
        /// The factor by which a reading may exceed others (rule RDG-08); `null`: 10.
        jump_factor: Option<u32>;
        /// The first day of a month on which payments may be made (rule SCH-02); `null`: 1.
        first_payment_day: Option<u32>;
        /// The last day of a month on which payments may be made (rule SCH-02); `null`: 31.
        last_payment_day: Option<u32>;
        /// The operator's own e-mail addresses, or `@` and a domain, sorted; no customer has one of these (rule CUS-12).
        own_email_addresses [serde(default)]: Vec<String>;
        /// The tariffs that there are, by code (rules AGR-09, TXN-17); `null`: any.
        tariff_codes: Option<Vec<TariffCode>>;
    }

    /// A tariff that there is.
    TariffCode (Debug, Eq, Serialize, Deserialize) {
        /// Its code, as `tariff_code` of agreements and `product_code` of transactions have it.
        code: String;
        /// Its last day; `null`: it has none.
        ends_on: Option<NaiveDate>;
    }

    /// The settings of an import supplier (contract D1, D13), without secrets.
    SupplierShown (Debug, Eq, Serialize) {
        /// Its code in paths and payloads.
        code: String;
        /// The name of the organisation that owns it.
        organisation: String;
        /// `Ongoing`, `Paused` or `Complete`; accounts are accepted while it is Ongoing.
        status: String;
        /// The folder of its documents in storage.
        document_root: String;
        /// If true, documents named in payloads must exist.
        verify_documents: bool;
        /// If true, the retailer's mailer may write to customers of imported accounts.
        send_customer_emails: bool;
        /// If true, every import is a dry run.
        dry_run: bool;
        /// Maximum number of its accounts that are imported at the same time.
        max_concurrent_imports: Option<u32>;
        /// The zone of its dates and of datetimes without an offset, for example `Australia/Melbourne`.
        time_zone: String;
        /// The profile whose levels rules have: `standard`, `strict` or `lenient`.
        profile: String;
        /// The country whose forms of identifiers and addresses rules judge, as its two letters of ISO 3166.
        country: String;
        /// What becomes of members that the contract does not document: `error`, `warning`, or the names of those that are
        /// warnings, with commas between them.
        undocumented_members: String;
        /// Levels of single rules, which take precedence over the profile: `error`, `warning` or `off`, by the id of the rule.
        rules: BTreeMap<String, String>;
        /// What rules compare payloads with, where suppliers differ.
        rule_values: RuleValues;
        /// Numbers of accounts after each of which the service holds the imports, for example `100,5000,rest`.
        waves: Option<String>;
        /// The share of failures over which the service holds the imports, as `PERCENT/WINDOW`, for example `1/200`.
        hold_on_errors: Option<String>;
        /// If true, its keys of the role `supplier` may start and end runs.
        supplier_runs: bool;
        /// The hold of its imports; `null` while there is none.
        hold: Option<HoldShown>;
        /// When it was added, with the offset of its zone.
        created_at: Timestamp;
        /// The id of this installation: the same as long as the database is the same, whatever its address.
        installation: String;
        /// The id of the history of its database: another one once what was committed may have been lost, by a restore,
        /// a failover or a restart of the database.
        history: String;
    }
}
