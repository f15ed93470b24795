//! Databases of both kinds that are opened with keys and read without the store.

use crate::databases::{self, file_in, migrated, migrated_file};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    self, CertificateKey, Creation, FeedPosition, InstructionDetails, InstructionKey, NewAccount,
    NewBusiness, NewWebhook, SearchKey, SigningKey, Staged, Staging, Store, StoreError, StoredIssues,
    Supplier, SupplierSettings, VendorBankAccount, VerifiedInstruction, WebhookSecret, read, write,
};
use cutover_core::{ServiceAccountNumber, Zone};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::{IntoOwned, Limits, Totals, decode_account, decode_business};
use cutover_process::{Actor, NewProcess, Submission};
use cutover_store::{
    EncryptionKeys, Options, PostgresOptions, PostgresStore, Resealed, Sealer, Seals, SqliteStore,
};
use cutover_testkit::SeededRandom;
use cutover_testkit_postgres::TemplateCopy;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// A kind of database.
pub(super) struct Kind(fn() -> Option<Database>);

pub(super) const SQLITE: Kind = Kind(|| Some(Database::File(migrated_file())));
pub(super) const POSTGRES: Kind = Kind(|| migrated().map(Database::Server));

impl Kind {
    /// Runs a test on an empty database. Skips it if there is no server.
    pub(super) fn with(&self, test: impl FnOnce(&Database)) {
        if let Some(database) = self.0() {
            test(&database);
        }
    }
}

/// Declares a test for each kind of database.
macro_rules! on_both {
    ($($test:ident)*) => {
        mod sqlite {
            $(#[test] fn $test() { super::super::environment::SQLITE.with(super::$test); })*
        }

        mod postgres {
            $(#[test] fn $test() { super::super::environment::POSTGRES.with(super::$test); })*
        }
    };
}
pub(super) use on_both;

/// An empty database of the test's own.
pub(super) enum Database {
    File(tempfile::TempDir),
    Server(TemplateCopy),
}

pub(super) enum Opened {
    Sqlite(Arc<SqliteStore>),
    Postgres(Arc<PostgresStore>),
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = diesel::sql_types::Text)]
    shown: String,
}

impl Database {
    fn options(database: &TemplateCopy, sealer: Sealer) -> PostgresOptions {
        PostgresOptions { sealer, ..databases::options(database) }
    }

    pub(super) fn open(&self, sealer: Sealer) -> Opened {
        match self {
            Self::File(folder) => {
                let options = Options { sealer, ..Options::default() };
                Opened::Sqlite(Arc::new(SqliteStore::open(&file_in(folder), options).unwrap()))
            }
            Self::Server(database) => {
                let options = Self::options(database, sealer);
                Opened::Postgres(Arc::new(PostgresStore::open(&options).unwrap()))
            }
        }
    }

    pub(super) fn reseal(&self, sealer: Sealer, progress: &mut dyn FnMut(&Resealed)) -> Vec<Resealed> {
        match self {
            Self::File(folder) => {
                let options = Options { sealer, ..Options::default() };
                SqliteStore::reseal(&file_in(folder), &options, progress).unwrap()
            }
            Self::Server(database) => {
                PostgresStore::reseal(&Self::options(database, sealer), progress).unwrap()
            }
        }
    }

    /// Returns a text for each row of a query, without the store.
    pub(super) fn shown(&self, expression: &str, rest: &str) -> Vec<String> {
        match self {
            Self::File(folder) => {
                let mut conn = open(&file_in(folder));
                let rows: Vec<TextRow> =
                    diesel::sql_query(format!("SELECT {expression} AS shown FROM {rest}"))
                        .load(&mut conn)
                        .unwrap();
                rows.into_iter().map(|row| row.shown).collect()
            }
            Self::Server(database) => {
                let answer = database.sql(&format!("SELECT {expression} FROM {rest}")).unwrap();
                answer.lines().map(str::to_owned).collect()
            }
        }
    }

    /// Returns the bytes of a column as hexadecimal digits.
    pub(super) fn hex(&self, column: &str, rest: &str) -> Vec<String> {
        let expression = match self {
            Self::File(_) => format!("lower(hex({column}))"),
            Self::Server(_) => format!("encode({column}, 'hex')"),
        };
        self.shown(&expression, rest)
    }

    /// Changes the database without the store.
    pub(super) fn change(&self, statement: &str) {
        match self {
            Self::File(folder) => {
                let mut conn = open(&file_in(folder));
                conn.batch_execute(statement).unwrap();
            }
            Self::Server(database) => drop(database.sql(statement).unwrap()),
        }
    }
}

impl Opened {
    pub(super) fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => store.clone(),
            Self::Postgres(store) => store.clone(),
        }
    }

    pub(super) fn seals(&self) -> Vec<Seals> {
        match self {
            Self::Sqlite(store) => store.seals().unwrap(),
            Self::Postgres(store) => store.seals().unwrap(),
        }
    }
}

/// Returns a sealer with keys of these names. The same name has the same key; a key with a capital letter is
/// lost.
pub(super) fn sealer(names: &[&str]) -> Sealer {
    let line = |name: &&str| match name.as_bytes()[0] {
        byte if byte.is_ascii_uppercase() => format!("{}:lost\n", name.to_lowercase()),
        byte => format!("{name}:{}\n", STANDARD.encode([byte; 32])),
    };
    let keys = EncryptionKeys::parse(&names.iter().map(line).collect::<String>()).unwrap();
    // Sealers with different first keys have different nonces.
    Sealer::new(keys, Arc::new(SeededRandom::new(u64::from(names[0].as_bytes()[0]))))
}

pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
}

/// Opens a file without the store. Its connections may be at work.
fn open(file: &Path) -> SqliteConnection {
    let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    conn.batch_execute("PRAGMA busy_timeout = 10000").unwrap();
    conn
}

/// Adds the supplier `A`.
pub(super) fn supplier(store: &dyn Store) -> Supplier {
    let added = write(store, |tx| {
        let owner = tx.add_organisation("Retailer", at(0))?.unwrap();
        let settings = SupplierSettings::new("A");
        Ok::<_, StoreError>(tx.add_supplier(owner.id, &"A".parse().unwrap(), &settings, at(0))?.unwrap())
    });
    added.unwrap()
}

/// Returns the payload of an account.
pub(super) fn payload(number: &str) -> Staged {
    Staged { payload: format!("CANARY of {number}").into_bytes(), fingerprint: [1; 32], ..Staged::default() }
}

/// Gives every process a previous attempt with its payload.
pub(super) const COPY_ATTEMPTS: &str = "INSERT INTO previous_attempts (process_id, attempt, state, ended_at, payload) \
    SELECT p.id, 1, 'ERRORED', p.modified_at, y.payload FROM processes p JOIN payloads y ON y.process_id = p.id";

/// Stages an account and returns the key of its process.
pub(super) fn stage(store: &dyn Store, supplier: &Supplier, number: &str) -> i64 {
    let process = NewProcess {
        supplier: supplier.code.clone(),
        external_account_number: number.parse().unwrap(),
        submission: Submission::default(),
    };
    let creation = Creation {
        supplier_id: supplier.id,
        contract: None,
        mark: None,
        supplier_revision: supplier.revision,
        process,
        actor: Actor::System,
        at: at(0),
        staged: payload(number),
        issues: StoredIssues::default(),
    };
    assert_eq!(port::stage(store, Arc::new(creation)), Ok(Staging::Staged));
    let number = number.parse().unwrap();
    read(store, |tx| tx.process(supplier.id, &number)).unwrap().unwrap().process.id()
}

/// Returns a key of certificates, whose private part is the canary.
pub(super) fn certificate_key(key_id: &str) -> CertificateKey {
    let (key_id, public_key) = (key_id.to_owned(), [7; 32]);
    CertificateKey { key_id, public_key, secret: Ok(SECRET), created_at: at(0), retired_at: None }
}

/// Adds a signing key, a key of certificates and that of the search, whose secrets are the canary.
pub(super) fn sign(store: &dyn Store, kid: &str) -> SigningKey {
    let key = SigningKey { kid: kid.into(), secret: Ok(SECRET), created_at: at(0) };
    let (added, certifies) = (key.clone(), certificate_key(kid));
    write(store, move |tx| {
        tx.add_certificate_key(&certifies)?;
        tx.add_search_key(&SearchKey(SECRET))?;
        tx.add_signing_key(&added)
    })
    .unwrap();
    key
}

/// Adds a webhook, whose secret is a canary. Returns its key.
pub(super) fn hook(store: &dyn Store, supplier: &Supplier) -> i64 {
    let new = NewWebhook {
        name: "wh_1".into(),
        organisation_id: supplier.organisation_id,
        url: "https://crm.example".into(),
        types: Vec::new(),
        created_at: at(0),
        position: FeedPosition::default(),
    };
    write(store, move |tx| tx.add_webhook(&new, &webhook_secret())).unwrap().id
}

/// The secret of the webhook.
pub(super) fn webhook_secret() -> WebhookSecret {
    WebhookSecret { number: 0, keys: "whsec_CANARY".into(), created_at: at(0), expires_at: None }
}

/// The secret of every signing key.
pub(super) const SECRET: [u8; 32] = *b"CANARY-CANARY-CANARY-CANARY-SIGN";

const ACCOUNT: &str = r#"{"import_supplier": "A", "external_account_number": "A-1", "unknown_occupier": true,
    "payment_instructions": [
        {"vendor": "V", "type": "DIRECT_DEBIT", "reference": "R", "valid_from": "2026-01-01",
         "bank_account": {"account_holder": "CANARY", "account_number": "999888777", "bsb": "062-000"}},
        {"vendor": "V", "type": "BPAY", "reference": "R", "valid_from": "2026-01-01"}]}"#;

/// Imports an account with a bank account and a payment without details, and adds an instruction to it and
/// one to a business.
pub(super) fn import(store: &dyn Store, supplier: &Supplier, id: i64) {
    let account =
        decode_account(ACCOUNT.as_bytes(), Zone::UTC).unwrap().draft.unwrap().into_valid().unwrap().0;
    let account = account.into_owned();
    let account = NewAccount {
        number: ServiceAccountNumber::from_random(7),
        process_id: id,
        supplier_id: supplier.id,
        organisation_id: supplier.organisation_id,
        customer_emails: false,
        zone: Zone::UTC,
        imported_at: at(0),
        totals: Totals::of(&account, Zone::UTC),
        account,
    };
    let (organisation_id, supplier_id) = (supplier.organisation_id, supplier.id);
    let done = write(store, move |tx| {
        tx.insert_accounts(&[&account])?;
        tx.add_account_instruction(id, &instruction())?;
        let business = decode_business(BUSINESS.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        let business = tx
            .insert_business(&NewBusiness {
                organisation_id,
                supplier_id,
                request: business.draft.unwrap().into_valid().unwrap().into_owned(),
                fingerprint: [0; 32],
                terms: Vec::new(),
                created_at: at(0),
            })?
            .id;
        tx.add_business_instruction(business, &instruction(), &[id])
    });
    done.unwrap()
}

const BUSINESS: &str =
    r#"{"import_supplier_code": "A", "external_business_identifier": "B-1", "business": {}}"#;

pub(super) fn instruction() -> VerifiedInstruction {
    VerifiedInstruction {
        key: InstructionKey {
            vendor: "V".into(),
            kind: PaymentInstructionType::DirectDebit,
            reference: "CANARY-REFERENCE".into(),
        },
        details: InstructionDetails {
            bank_account: Some(VendorBankAccount {
                account_holder: Some("CANARY".into()),
                account_number_last_digits: Some("7777".into()),
                bsb: Some("062-000".into()),
            }),
            ..InstructionDetails::default()
        },
        verified_at: at(0),
    }
}
