//! Answers of the service (contract 2.2, 4.1, 7).

mod document;
mod issues;
mod manifest;
mod money;
mod progress;
mod readiness;
mod runs;
mod search;
mod supplier;
mod timestamp;
pub(crate) mod v1;

pub use cutover_core::ProcessError;
pub use document::DocumentShown;
pub use issues::*;
pub use manifest::{
    ManifestAccount, ManifestDeclared, ManifestNumbersShown, ManifestShown, TotalsDifference,
};
pub(crate) use money::money;
pub use progress::*;
pub use readiness::{CheckShown, ReadinessShown};
pub use runs::*;
pub use search::{AccountFoundShown, AccountsFoundShown};
pub use supplier::{HoldReasonShown, HoldShown, RuleValues, SupplierShown, TariffCode};
pub use timestamp::Timestamp;
pub use v1::{
    BusinessCreated, BusinessPaymentInstructionStored, InstructionRefusal, NoteResult, NoteStatus,
    PaymentInstructionStored, TransactionRefusal, TransactionResult, TransactionStatus, TransferStatus,
};

use crate::describe::{AnswerKind, AnswerMember, AnswerSpec, Shown};
use cutover_core::{Code, ServiceAccountNumber, ShownEvent, State, Word};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The declaration of [`ProcessError`].
pub const PROCESS_ERROR: AnswerSpec = answer_spec! {
    ProcessError ("An error of an import process (contract 2.2, 7.2).");
    ("The stable code.") code: Word<Code>;
    ("Text for people.") detail: Cow<'static, str>;
    ("The part of the service it comes from: `import_process`.") domain: &'static str;
};

impl Shown for ProcessError {
    const KIND: AnswerKind = AnswerKind::Object(&PROCESS_ERROR);
}

answers! {
    /// An error item of a refused request (contract 7).
    ErrorItem (Debug, Eq, Serialize) {
        /// Text for people; its wording may change.
        detail: String;
        /// The stable code.
        code: &'static str, code;
        /// The path of the offending input.
        attr: String;
    }

    /// A refused request with all its faults (contract 7.1, D4).
    ValidationError (Debug, Eq, Serialize) {
        /// Text for people.
        detail: &'static str;
        /// `account_failed_validation` for accounts, `validation_error` elsewhere.
        code: &'static str, code;
        /// Every fault, in the order of rules 1.4.
        errors: Vec<ErrorItem>;
    }

    /// The latest event of an import process (contract 2.2).
    LatestEvent (Debug, Eq, Serialize) {
        /// One of the three names of contract 6.
        event: ShownEvent;
        /// With the offset of the supplier's zone.
        occurred_at: Timestamp;
        /// The error of an errored process.
        data: Option<ProcessError>;
    }

    /// The version 2 status of an import process (contract 2.2).
    ProcessStatus (Debug, Eq, Serialize) {
        /// A status word of contract 3.
        status: State;
        /// The account's number, once it is imported.
        service_identifier: Option<ServiceAccountNumber>;
        /// When the account was first sent, with the offset of the supplier's zone.
        created_at: Timestamp;
        /// When the process last took a step, with the offset of the supplier's zone.
        modified_at: Timestamp;
        /// The latest event.
        latest_event: LatestEvent;
        /// The error of a failed process.
        latest_error: Option<ProcessError>;
    }

    /// What an account waits for that is `PENDING`.
    WaitsFor (Debug, Eq, Serialize) {
        /// `supplier_paused`, `supplier_complete`, `hold`, `window`, `retry`, `wave` or `turn`. Later versions may add
        /// words.
        what: &'static str;
        /// When it begins: the start of its window, or of the next attempt.
        until: Option<Timestamp>;
        /// A sentence for people; its wording may change.
        detail: String;
    }

    /// Details of an event of the feed (contract D19), without personal data. Which members there are depends on
    /// the type.
    EventData (Debug, Eq, Default, Serialize, Deserialize) {
        /// Of additions: how many were added.
        count [serde(skip_serializing_if = "Option::is_none")]: Option<u64>;
        /// Of an errored import: the stable code.
        code [serde(skip_serializing_if = "Option::is_none")]: Option<String>, code;
        /// Of an errored import: text for people.
        detail [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// Of an errored import: the part of the service that the error comes from.
        domain [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// Of a business: its identifier at the supplier.
        external_business_identifier [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
        /// Of a business: its number here.
        service_business_id [serde(skip_serializing_if = "Option::is_none")]: Option<i64>;
        /// Of a supplier whose imports were held or released: the hold.
        hold [serde(skip_serializing_if = "Option::is_none")]: Option<HoldShown>;
    }

    /// An event of the feed (contract D19). Members that do not apply are null.
    Event (Debug, Eq, Serialize) {
        /// The event's position in the feed: opaque, accepted as `after`.
        id: String;
        /// The type. Later versions may add types.
        r#type as "type": String;
        /// When it happened, in UTC.
        occurred_at: Timestamp;
        /// The code of the import supplier.
        import_supplier: String;
        /// The account's number at its previous supplier.
        external_account_number: Option<String>;
        /// The account's number here.
        service_account_number: Option<String>;
        /// The number of attempts so far, of an event of an import.
        attempt: Option<u64>;
        /// Details by type.
        data: Option<EventData>;
    }

    /// A create of an account that exists or is being imported (contract 7.3, D5).
    AlreadyThere (Debug, Eq, Serialize) {
        /// The reason of the refusal.
        non_field_errors: Detail;
        /// The number of the existing account.
        account_id [serde(skip_serializing_if = "Option::is_none")]: Option<String>;
    }

    /// The body of every other refusal: `{detail, code}` (rules 9).
    Detail (Debug, Eq, Serialize) {
        /// Text for people.
        detail: String;
        /// The stable code.
        code: &'static str, code;
    }
}

impl EventData {
    /// The details of an addition.
    pub fn count(count: u64) -> Self {
        Self { count: Some(count), ..Self::default() }
    }

    /// The details of an import that ended with an error.
    pub fn error(error: &ProcessError) -> Self {
        Self {
            code: Some(error.code.to_string()),
            detail: Some(error.detail.to_string()),
            domain: Some(error.domain.to_owned()),
            ..Self::default()
        }
    }

    /// The details of a hold that began or ended.
    pub fn hold(hold: HoldShown) -> Self {
        Self { hold: Some(hold), ..Self::default() }
    }

    /// The identifiers of a business.
    pub fn business(external_identifier: &str, number: i64) -> Self {
        Self {
            external_business_identifier: Some(external_identifier.to_owned()),
            service_business_id: Some(number),
            ..Self::default()
        }
    }
}

/// A process in a list (contract D12): its status and the number of its account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedStatus {
    /// The account's number at its previous supplier.
    pub external_account_number: String,
    /// The members of the status.
    #[serde(flatten)]
    pub status: ProcessStatus,
    /// What it waits for, if it is `PENDING`.
    pub waits_for: Option<WaitsFor>,
}

impl ListedStatus {
    /// The declaration of the object and its members.
    pub const SPEC: AnswerSpec = AnswerSpec {
        ident: "ListedStatus",
        doc: "A process in a list (contract D12): its status and the number of its account.",
        members: &Self::MEMBERS,
    };

    const MEMBERS: [AnswerMember; ProcessStatus::SPEC.members.len() + 2] = {
        let number = AnswerMember {
            name: "external_account_number",
            doc: "The account's number at its previous supplier.",
            optional: false,
            nullable: false,
            kind: AnswerKind::Text,
        };
        let waits_for = AnswerMember {
            name: "waits_for",
            doc: "What it waits for, if it is `PENDING`.",
            optional: false,
            nullable: true,
            kind: AnswerKind::Object(&WaitsFor::SPEC),
        };
        let mut members = [waits_for; ProcessStatus::SPEC.members.len() + 2];
        members[0] = number;
        members
            .split_at_mut(1)
            .1
            .split_at_mut(ProcessStatus::SPEC.members.len())
            .0
            .copy_from_slice(ProcessStatus::SPEC.members);
        members
    };
}

impl Shown for ListedStatus {
    const KIND: AnswerKind = AnswerKind::Object(&Self::SPEC);
}
