//! Examples: requests are fixtures; responses are written by the real serializers, or are texts that a test
//! compares with real ones.

use chrono::DateTime;
use cutover_app::port::ImportedAccount;
use cutover_core::{
    Code, FeedEventType, IssueSource, ServiceAccountNumber, ShownEvent, State, StateV1, Zone,
};
use cutover_model::certificate::{
    CERTIFICATE_TYPE, Certificate, CertificateCause, CertificateKeyShown, CertificateManifest,
    InclusionProof, Leaf, LeafTotals,
};
use cutover_model::describe::Json;
use cutover_model::rust_decimal::Decimal;
use cutover_model::service::{historical_statements, transaction_results};
use cutover_model::{
    AccountError, AccountFoundShown, AccountIssues, AccountTotals, AccountWarning, AccountsFoundShown,
    BusinessCreated, BusinessPaymentInstructionStored, ChangedAccount, ChangedAttr, CheckShown,
    ControlTotals, DocumentShown, Event, HoldReasonShown, HoldShown, LatestEvent, Limits, ListedStatus,
    ManifestAccount, ManifestDeclared, ManifestNumbersShown, ManifestShown, NoteResult, NoteStatus, Others,
    PaymentInstructionStored, ProcessError, ProcessStatus, ReadinessShown, RefusedCauseShown,
    RefusedCreateShown, RefusedItem, RefusedShown, RowCounts, RuleValues, RunAccounts, RunCause,
    RunCodeShown, RunCounts, RunDiffShown, RunRefusedShown, RunShown, StatusCounts, SupplierProgress,
    SupplierShown, Timestamp, TopCause, Totals, TransactionResult, TransactionStatus, TransferStatus,
    WaitsFor, decode_account, decode_historical_statements, decode_manifest, decode_transactions,
};
use serde::Serialize;

/// Request bodies: the name, the model's request and the text.
pub(crate) const REQUESTS: &[(&str, &str, &str)] = &[
    ("account", "account", include_str!("../../../../fixtures/accounts/valid/unmetered_gas.json")),
    ("account_in_envelope", "account", include_str!("../../../../fixtures/accounts/valid/business.json")),
    ("notes", "notes", include_str!("../../../../fixtures/notes/valid/calls.json")),
    ("transactions", "transactions", TRANSACTIONS),
    ("statements", "historical-statements", STATEMENTS),
    (
        "payment_instruction",
        "payment-instruction",
        include_str!("../../../../fixtures/payment_instructions/valid/card.json"),
    ),
    ("business", "business", include_str!("../../../../fixtures/businesses/valid/cold_storage.json")),
    (
        "business_payment_instruction",
        "business-payment-instruction",
        include_str!("../../../../fixtures/business_payment_instructions/valid/two_accounts.json"),
    ),
    ("manifest", "manifest", MANIFEST),
    (
        "manifest_numbers",
        "manifest-numbers",
        include_str!("../../../../fixtures/manifest_numbers/valid/last_part.json"),
    ),
    ("run", "run", include_str!("../../../../fixtures/runs/valid/rehearsal.json")),
    (
        "account_search",
        "account-search",
        include_str!("../../../../fixtures/account_searches/valid/name.json"),
    ),
];

const MANIFEST: &str = include_str!("../../../../fixtures/manifests/valid/one_night.json");

const TRANSACTIONS: &str = include_str!("../../../../fixtures/transactions/valid/refund.json");
const STATEMENTS: &str = include_str!("../../../../fixtures/statements/valid/year.json");

/// A transaction in responses.
pub(crate) const TRANSACTION: &str = r#"{"transaction_id":"CH-1","transaction_date":"2020-01-01","amount":"8.80","type":"CHARGE","reason":"IMPORTED_CHARGE"}"#;

/// Parses one of our own texts.
pub(crate) fn of(json: &[u8]) -> Json {
    Json::parse(json).unwrap_or(Json::Null)
}

fn written(answer: &impl Serialize) -> Json {
    of(&serde_json::to_vec(answer).unwrap_or_default())
}

/// The totals that the example of a manifest declares.
fn declared() -> Totals {
    let decoded = decode_manifest(MANIFEST.as_bytes(), Zone::UTC, Limits::default());
    let manifest = decoded.ok().and_then(|decoded| decoded.draft).and_then(|draft| draft.into_valid());
    manifest.map(|manifest| manifest.totals()).unwrap_or_default()
}

/// A manifest.
pub(crate) fn manifest() -> Json {
    let at = DateTime::from_timestamp(1_795_225_500, 0).unwrap_or_default();
    written(&ManifestDeclared::new(declared(), Timestamp(at.fixed_offset())))
}

fn leaf() -> Leaf {
    Leaf {
        import_supplier: "ACME_ENERGY".into(),
        external_account_number: "ELEC-1001".into(),
        status: State::Processed.to_string(),
        totals: Some(LeafTotals {
            counts: RowCounts::of([("accounts", 1), ("readings", 4), ("transactions", 3)]),
            ledger_balance: "-12.50".into(),
            readings: 4,
            transactions: 3,
            documents: 1,
        }),
        content: Some("5f1c0a52a7d3b6f0c9e84d7761b2935ec8f04a3d96e7b1258d4c30f9ae6b7215".into()),
        salt: "9a04e1c27fb35d6880c2f49b17ade653".into(),
    }
}

/// The leaf of an account in a certificate.
pub(crate) fn leaf_json() -> Json {
    written(&leaf())
}

const ROOT: &str = "ec75e6acc09e1acfb8dc07cff0d7e3f54c7e4fc0f4adf4f73f4d0b0ee5e8a2d7";

/// A certificate.
pub(crate) fn certificate() -> Json {
    let totals = |transactions| ControlTotals {
        accounts: 2,
        ledger_balance: "-12.50".into(),
        readings: 4,
        transactions,
        documents: 1,
        counts: RowCounts::of([("accounts", 2), ("readings", 4), ("transactions", transactions)]),
    };
    written(&Certificate {
        kind: CERTIFICATE_TYPE.into(),
        id: "0f4b9c6a1d2e38577a90b1c2d3e4f506".into(),
        installation: "5e0c7e0b7a6d4f6f8a1b2c3d4e5f6071".into(),
        import_supplier: "ACME_ENERGY".into(),
        issued_at: "2026-11-21T03:00:00.118203Z".into(),
        accounts: 2,
        counts: StatusCounts::new(|state| u64::from(state == State::Processed) * 2),
        manifest: CertificateManifest {
            declared: Some(totals(2)),
            sent: Some(totals(2)),
            imported: totals(3),
        },
        failed: Vec::new(),
        refused_as_of: Some("2026-11-21T02:59:59.702114Z".into()),
        refused_accounts: 1,
        refused_without_number: 0,
        refused: vec![CertificateCause {
            code: "invalid_phone_number".into(),
            attr: Some("customers.#.landline".into()),
            count: 1,
        }],
        merkle_root: ROOT.into(),
        key_id: "fe812c12f3ab4ce6".into(),
        signature: "upjoS/HE8ei3iRO1YO1Mkg2iZrKU09SlPZgVLclG2jLgZvpFf7dYEPgRBTZ9gli8+Bx/s7T8bgD3xwGHNgI7Dg=="
            .into(),
    })
}

/// The public keys of certificates.
pub(crate) fn certificate_keys() -> Json {
    let at = DateTime::from_timestamp(1_795_225_500, 0).unwrap_or_default();
    written(&vec![CertificateKeyShown {
        key_id: "fe812c12f3ab4ce6".into(),
        algorithm: "Ed25519",
        public_key: "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vntkSjqXs5VsMCI=".into(),
        created_at: Timestamp(at.fixed_offset()),
        retired_at: None,
    }])
}

/// The proof that a certificate covers an account.
pub(crate) fn proof() -> Json {
    written(&InclusionProof {
        certificate: "0f4b9c6a1d2e38577a90b1c2d3e4f506".into(),
        leaf_index: 0,
        tree_size: 2,
        leaf: leaf(),
        path: vec!["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7".into()],
        merkle_root: ROOT.into(),
    })
}

/// The status of an imported account.
pub(crate) fn status() -> Json {
    written(&processed())
}

fn processed() -> ProcessStatus {
    let at = time("2026-11-21T13:00:04.118203+11:00");
    ProcessStatus {
        status: State::Processed,
        service_identifier: "A-7K2M9QXD".parse::<ServiceAccountNumber>().ok(),
        created_at: time("2026-11-21T13:00:00.000001+11:00"),
        modified_at: at,
        latest_event: LatestEvent { event: ShownEvent::Processed, occurred_at: at, data: None },
        latest_error: None,
    }
}

fn time(text: &str) -> Timestamp {
    Timestamp(chrono::DateTime::parse_from_rfc3339(text).unwrap_or_default())
}

/// The result of a search for accounts.
pub(crate) fn statuses() -> Json {
    let listed = |number: &str, status, waits_for| ListedStatus {
        external_account_number: number.into(),
        status,
        waits_for,
    };
    let detail = "Waits: ACME_ENERGY is held after wave 1".into();
    let waits = WaitsFor { what: "hold", until: None, detail };
    written(&[
        listed("ELEC-1001", processed(), None),
        listed("ELEC-1002", failed(), None),
        listed("ELEC-1003", pending(), Some(waits)),
    ])
}

/// Accounts that a search found: one is imported, the other was refused.
pub(crate) fn accounts_found() -> Json {
    let imported = AccountFoundShown {
        supplier: "ACME_ENERGY".into(),
        external_account_number: "ELEC-1001".into(),
        status: Some(State::Processed),
        service_identifier: "A-7K2M9QXD".parse().ok(),
        modified_at: time("2026-11-21T13:00:00.000001+11:00"),
        waits_for: None,
        error_codes: Vec::new(),
        sentence: "Imported 13:00 as A-7K2M9QXD".into(),
        found_by: vec!["name"],
    };
    let refused = AccountFoundShown {
        external_account_number: "OKAFOR-2".into(),
        status: None,
        service_identifier: None,
        modified_at: time("2026-11-21T12:30:00.000001+11:00"),
        error_codes: vec![Code::InvalidPhoneNumber.to_string()],
        sentence: "Not accepted since 12:30".into(),
        found_by: vec!["number"],
        ..imported.clone()
    };
    written(&AccountsFoundShown { accounts: vec![imported, refused], more: None })
}

/// An imported account.
pub(crate) fn imported_account() -> Json {
    let payload = include_bytes!("../../../../fixtures/accounts/valid/unmetered_gas.json");
    let account = decode_account(payload, Zone::UTC).ok();
    let account = account.and_then(|decoded| decoded.draft?.into_valid());
    let number = "A-7K2M9QXD".parse().ok();
    let Some(((account, _), number)) = account.zip(number) else { return Json::Null };
    let imported = ImportedAccount {
        number,
        customer_emails: true,
        account,
        historical_statements: Vec::new(),
        verified_instructions: Vec::new(),
    };
    of(&imported.to_json(Zone::UTC))
}

/// Events of an account that was created and imported.
pub(crate) fn events() -> Json {
    let event = |id: &str, of: FeedEventType, at: &str, number: Option<&str>| Event {
        id: id.into(),
        r#type: of.to_string(),
        occurred_at: time(at),
        import_supplier: "ACME_ENERGY".into(),
        external_account_number: Some("ELEC-1001".into()),
        service_account_number: number.map(str::to_owned),
        attempt: Some(u64::from(number.is_some())),
        data: None,
    };
    let (created, imported) = (FeedEventType::ProcessCreated, FeedEventType::ProcessProcessed);
    let (first, second) = ("AAAAAAAAAuYAAAAAAAAAAQ", "AAAAAAAAAusAAAAAAAAAAg");
    written(&[
        event(first, created, "2026-11-21T02:00:00.000001+00:00", None),
        event(second, imported, "2026-11-21T02:00:04.118203+00:00", Some("A-7K2M9QXD")),
    ])
}

/// The status of an account whose import failed.
pub(crate) fn errored() -> Json {
    written(&failed())
}

fn pending() -> ProcessStatus {
    let mut status = processed();
    status.status = State::Pending;
    status.service_identifier = None;
    status.latest_event.event = status.status.shown_event();
    status
}

fn failed() -> ProcessStatus {
    let error = ProcessError::new(Code::ImportProcessFailedValidation);
    let mut status = processed();
    status.status = State::Errored;
    status.service_identifier = None;
    status.latest_event.event = status.status.shown_event();
    status.latest_event.data = Some(error.clone());
    status.latest_error = Some(error);
    status
}

/// A hold after a wave.
fn held() -> HoldShown {
    HoldShown {
        by: "wave".into(),
        since: "2026-11-21T11:04:12.000000+11:00".into(),
        wave: Some(1),
        ended: 100,
        failed: 1,
        window: None,
        because: None,
        also: vec![HoldReasonShown {
            by: "operator".into(),
            since: "2026-11-21T11:20:31.000000+11:00".into(),
            because: Some("wrong tariffs".into()),
        }],
    }
}

/// The settings of a supplier.
pub(crate) fn supplier() -> Json {
    written(&SupplierShown {
        code: "ACME_ENERGY".into(),
        organisation: "Acme Energy".into(),
        status: "Ongoing".into(),
        document_root: "/ACME_ENERGY".into(),
        verify_documents: true,
        send_customer_emails: false,
        dry_run: false,
        max_concurrent_imports: None,
        time_zone: "Australia/Melbourne".into(),
        profile: "standard".into(),
        country: "AU".into(),
        undocumented_members: "error".into(),
        rules: [("PIN-01".to_owned(), "warning".to_owned())].into(),
        rule_values: RuleValues {
            last_payment_day: Some(28),
            first_payment_day: Some(1),
            ..RuleValues::default()
        },
        waves: Some("100,5000,rest".into()),
        hold_on_errors: Some("1/200".into()),
        supplier_runs: true,
        hold: Some(held()),
        created_at: time("2026-11-20T09:00:00.000000+11:00"),
        installation: "5f0c1be8a9d84c0c8a6f2a1f3b7e9d10".into(),
        history: "0b9c5e1f4d7a4c38b2f6a1d09e8c7b6a".into(),
    })
}

/// The readiness of a supplier.
pub(crate) fn readiness() -> Json {
    let check = |name: &str, level: &str, detail: &str, action: Option<&str>| CheckShown {
        name: name.into(),
        level: level.into(),
        detail: detail.into(),
        action: action.map(Into::into),
    };
    let absent = "Waiting accounts name contracts that do not exist: C-17.";
    let send = "Send the businesses with these contracts, or cancel the accounts.";
    written(&ReadinessShown {
        ready: false,
        as_of: time("2026-11-21T13:00:00.118203+11:00"),
        checks: vec![
            check("documents", "ok", "Document storage answers.", None),
            check("contracts", "stop", absent, Some(send)),
        ],
    })
}

/// The issues of an account.
pub(crate) fn issues() -> Json {
    let detail = |code: Code| code.detail().to_owned();
    let (error, warning) = (Code::PathDoesNotExistInFileStore, Code::DuplicateNote);
    written(&AccountIssues {
        attempt: 1,
        errors: vec![AccountError {
            attr: "statements.0.statement_path".into(),
            code: error.into(),
            rule: Some("DOC-02".into()),
            detail: detail(error),
        }],
        warnings: vec![AccountWarning {
            attr: "notes.1".into(),
            code: warning.into(),
            rule: Some("NOT-04".into()),
            detail: detail(warning),
            source: IssueSource::Account.into(),
        }],
    })
}

/// The progress of a migration.
pub(crate) fn progress() -> Json {
    let count = |state| match state {
        State::Pending => 18_211,
        State::InProgress => 16,
        State::Processed => 81_190,
        State::Errored => 583,
        State::Cancelled | State::DryRunSucceeded | State::DryRunErrored => 0,
    };
    let imported = Totals {
        accounts: 81_190,
        ledger_balance: Decimal::new(-120_441_135, 2),
        readings: 1_461_420,
        transactions: 974_280,
        documents: 162_380,
        rows: RowCounts::of([("customers", 97_428), ("notes", 40_595)]),
    };
    let sent = Totals { accounts: 100_000, ..declared() };
    written(&SupplierProgress {
        counts: StatusCounts::new(count),
        undone: 0,
        top_errors: vec![TopCause {
            code: Code::PathDoesNotExistInFileStore.into(),
            attr: Some("statements.#.statement_path".into()),
            count: 583,
            examples: vec!["ELEC-1002".into(), "ELEC-1107".into(), "GAS-2210".into()],
        }],
        other_errors: Others::default(),
        top_warnings: vec![TopCause {
            code: Code::DuplicateNote.into(),
            attr: Some("notes.#".into()),
            count: 212,
            examples: vec!["ELEC-1004".into(), "ELEC-1019".into(), "GAS-2201".into()],
        }],
        other_warnings: Others { kinds: 2, count: 11 },
        rate_per_minute: "2740.4".into(),
        estimated_finish_at: Some("2026-11-21T13:06:39.000000+11:00".into()),
        totals: imported.into(),
        refused: RefusedShown {
            accounts: 31,
            without_number: 2,
            top_errors: vec![RefusedCauseShown {
                code: Code::InvalidPhoneNumber.to_string(),
                attr: "customers.#.mobile".into(),
                count: 17,
            }],
            other_errors: Others { kinds: 3, count: 14 },
        },
        hold: None,
        manifest: Some(ManifestShown::new(declared(), sent, imported)),
    })
}

/// The state of a list of account numbers.
pub(crate) fn manifest_numbers() -> Json {
    written(&ManifestNumbersShown { account_numbers: 2, is_complete: true })
}

/// A document that is stored.
pub(crate) fn document() -> Json {
    written(&DocumentShown {
        bytes: 184_320,
        sha256: "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7".into(),
    })
}

/// Accounts that differ from the declared numbers.
pub(crate) fn manifest_accounts() -> Json {
    written(&[ManifestAccount { external_account_number: "GAS-2001".into() }])
}

fn rehearsal() -> RunShown {
    RunShown {
        name: "rehearsal 1".into(),
        started_at: time("2026-11-14T20:00:00.000000+11:00"),
        ended_at: Some(time("2026-11-14T21:10:00.000000+11:00")),
        counts: RunCounts { processed: 0, errored: 0, dry_run_succeeded: 99_417, dry_run_errored: 583 },
        totals: Totals { accounts: 99_417, ..declared() }.into(),
        top_errors: vec![RunCause {
            code: Code::PathDoesNotExistInFileStore.to_string(),
            attr: Some("statements.#.statement_path".into()),
            count: 583,
        }],
        other_errors: Others::default(),
        refused: RunRefusedShown {
            accounts: 31,
            top_errors: vec![RunCause {
                code: Code::InvalidPhoneNumber.to_string(),
                attr: Some("customers.#.mobile".into()),
                count: 17,
            }],
            other_errors: Others { kinds: 3, count: 14 },
        },
        first_at: Some(time("2026-11-14T20:01:12.000000+11:00")),
        last_at: Some(time("2026-11-14T20:38:02.000000+11:00")),
        rate_per_minute: "2715.0".into(),
    }
}

/// Runs of a supplier.
pub(crate) fn runs() -> Json {
    written(&[rehearsal()])
}

/// A run.
pub(crate) fn run() -> Json {
    written(&rehearsal())
}

/// A run that was just started.
pub(crate) fn started_run() -> Json {
    written(&RunShown {
        ended_at: None,
        counts: RunCounts { processed: 0, errored: 0, dry_run_succeeded: 0, dry_run_errored: 0 },
        totals: Totals::default().into(),
        top_errors: Vec::new(),
        other_errors: Others::default(),
        refused: RunRefusedShown { accounts: 0, top_errors: Vec::new(), other_errors: Others::default() },
        first_at: None,
        last_at: None,
        rate_per_minute: "0.0".into(),
        ..rehearsal()
    })
}

/// The comparison of two runs.
pub(crate) fn run_diff() -> Json {
    let accounts = |numbers: &[&str]| RunAccounts {
        count: numbers.len() as u64,
        examples: numbers.iter().map(|number| (*number).to_owned()).collect(),
    };
    written(&RunDiffShown {
        new: accounts(&[]),
        gone: accounts(&["GAS-2210"]),
        changed: accounts(&["ELEC-1002", "ELEC-1003"]),
        fixed: accounts(&["ELEC-1003"]),
        broken: accounts(&[]),
        changed_accounts: vec![ChangedAccount {
            external_account_number: "ELEC-1002".into(),
            attrs: Some(vec!["customers.#.mobile".into()]),
        }],
        changed_attrs: vec![ChangedAttr { attr: "customers.#.mobile".into(), count: 2 }],
        codes: vec![RunCodeShown {
            code: Code::InvalidPhoneNumber.to_string(),
            attr: Some("customers.#.mobile".into()),
            a: 17,
            b: 16,
        }],
        totals: [declared(), Totals { accounts: 99_999, ..declared() }].into(),
    })
}

/// Totals of accounts.
pub(crate) fn account_totals() -> Json {
    written(&[AccountTotals {
        external_account_number: "ELEC-1001".into(),
        ledger_balance: "-160.00".into(),
        readings: 18,
        transactions: 12,
        documents: 2,
    }])
}

/// Refused creates.
pub(crate) fn refused() -> Json {
    let item = RefusedItem { code: Code::InvalidPhoneNumber.to_string(), attr: "customers.#.mobile".into() };
    written(&[RefusedCreateShown {
        external_account_number: "ELEC-1003".into(),
        refused_at: time("2026-11-21T13:00:00.000001+11:00"),
        errors: vec![item],
    }])
}

/// An account as it was sent.
pub(crate) fn account() -> Json {
    of(REQUESTS[0].2.as_bytes())
}

pub(crate) fn transfer_status() -> Json {
    written(&TransferStatus { status: StateV1::Completed, service_account_number: "A-7K2M9QXD".into() })
}

pub(crate) fn notes() -> Json {
    written(&[NoteResult {
        created_at: "2026-11-03T09:15:00.000000+11:00".into(),
        body: "Asked for the final bill by post.".into(),
        status: NoteStatus::Created,
    }])
}

pub(crate) fn transactions() -> Json {
    let decoded = decode_transactions(TRANSACTIONS.as_bytes(), Zone::UTC, Limits::default()).ok();
    let request = decoded.and_then(|decoded| decoded.draft?.into_valid());
    let stored = request.into_iter().flat_map(|request| request.transactions).map(|transaction| {
        let transaction = cutover_model::IntoOwned::into_owned(transaction);
        TransactionResult {
            status: TransactionStatus::Added,
            transaction,
            added_transaction_id: Some(1_048_583),
        }
    });
    of(&transaction_results(&stored.collect::<Vec<_>>()))
}

pub(crate) fn statements() -> Json {
    let decoded = decode_historical_statements(STATEMENTS.as_bytes(), Zone::UTC, Limits::default()).ok();
    let request = decoded.and_then(|decoded| decoded.draft?.into_valid());
    request.map_or(Json::Null, |request| of(historical_statements(&request).as_bytes()))
}

pub(crate) fn instruction() -> Json {
    written(&PaymentInstructionStored {
        service_account_number: "A-7K2M9QXD".into(),
        reference: "pm_1QELEC1001".into(),
    })
}

pub(crate) fn business() -> Json {
    written(&BusinessCreated { service_business_id: 1, external_business_identifier: "B-HALLORAN".into() })
}

/// A business with its number.
pub(crate) fn stored_business() -> Json {
    let request = include_bytes!("../../../../fixtures/businesses/valid/cold_storage.json");
    of(request).with("service_business_id", 1_u32)
}

pub(crate) fn stored_businesses() -> Json {
    Json::list([stored_business()])
}

pub(crate) fn business_instruction() -> Json {
    written(&BusinessPaymentInstructionStored {
        reference: "MD000BHALLORAN".into(),
        external_business_identifier: "B-HALLORAN".into(),
    })
}
