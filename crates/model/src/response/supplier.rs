//! The settings of a supplier (contract D13).

use super::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

answers! {
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
        /// Levels of rules that differ from the default: `error`, `warning` or `off`, by the id of the rule.
        rules: BTreeMap<String, String>;
        /// When it was added, with the offset of its zone.
        created_at: Timestamp;
        /// The id of this installation: the same as long as the database is the same, whatever its address.
        installation: String;
    }
}
