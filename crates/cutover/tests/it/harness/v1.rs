//! Paths and requests of version 1.

use super::{Client, Installation, Server};
use crate::payloads::nameless;
use serde_json::{Value, json};

pub(crate) const NOTES: &str = "/v1/data-import/notes/create/";
pub(crate) const TRANSACTIONS: &str = "/v1/data-import/transactions/create/";
pub(crate) const STATEMENTS: &str = "/v1/data-import/historical-statements/create/";
pub(crate) const INSTRUCTION: &str = "/v1/data-import/payment-instruction/create/";
pub(crate) const BUSINESS: &str = "/v1/data-import/business/";
pub(crate) const BUSINESS_INSTRUCTION: &str = "/v1/data-import/business-payment-instruction/create/";
/// The path of a list is one of these followed by a supplier.
pub(crate) const ALL: &str = "/v1/data-import/all-account-import-processes/";
pub(crate) const PENDING: &str = "/v1/data-import/pending-account-import-processes/";
pub(crate) const IMPORTED: &str = "/v1/data-import/imported-account-import-processes/";
pub(crate) const LISTS: [&str; 3] = [ALL, PENDING, IMPORTED];
/// The progress of the migration of `ACME`.
pub(crate) const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME/progress/";
pub(crate) const TRANSFER_STATUS: &str = "/v1/data-import/account-transfer-status/";

/// A request to add notes, transactions or statements to an account of `ACME`.
pub(crate) fn adding(number: &str, member: &str, items: Value) -> Value {
    json!({"import_supplier": "ACME", "external_account_number": number, member: items})
}

/// A request for a payment instruction of an account of `ACME`.
pub(crate) fn instruction(number: &str, vendor: &str, kind: &str, reference: &str) -> Value {
    json!({"import_supplier": "ACME", "external_account_number": number,
        "vendor": vendor, "type": kind, "reference": reference})
}

/// A business of `ACME` with a contract for each identifier.
pub(crate) fn business(identifier: &str, contracts: &[&str]) -> Value {
    let contract = |identifier: &&str| json!({"identifier": identifier, "valid_from_date": "2024-01-01", "signed_at_date": "2023-12-01"});
    json!({"import_supplier_code": "ACME", "external_business_identifier": identifier, "business": {
        "business_type": "PTY_LTD", "company_name": "Halloran Cold Storage Pty Ltd",
        "business_contracts": contracts.iter().map(contract).collect::<Vec<_>>(),
    }})
}

/// A request for a payment instruction of a business of `ACME`, for accounts of it.
pub(crate) fn business_instruction(identifier: &str, vendor: &str, kind: &str, reference: &str) -> Value {
    json!({"import_supplier_code": "ACME", "external_business_identifier": identifier,
        "vendor": vendor, "type": kind, "reference": reference})
}

/// The sorted members of an object.
pub(crate) fn members(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let mut names: Vec<_> = object.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// Encodes a text as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encoded).collect()
}

impl Client {
    /// Posts JSON.
    pub(crate) fn send_json(&self, path: &str, body: &Value) -> super::Answer {
        self.post(path, body.to_string())
    }

    /// The progress of the migration of `ACME`.
    pub(crate) fn progress(&self) -> Value {
        let answer = self.get(PROGRESS);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    pub(crate) fn put_json(&self, path: &str, body: &Value) -> super::Answer {
        self.send("PUT", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Creates accounts of `ACME` and waits until all are imported.
    pub(crate) fn import(&self, accounts: &[Value]) {
        for account in accounts {
            let answer = self.create(account);
            assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body));
        }
        for account in accounts {
            self.wait(&segment(account["external_account_number"].as_str().unwrap()), "PROCESSED");
        }
    }
}

impl Installation {
    /// Issues a key of `Acme` that reads imported accounts.
    pub(crate) fn reader_key(&self) -> String {
        let issue = ["api-key", "issue", "--organisation", "Acme", "--role", "reader"];
        super::text(&self.run_json(&issue)["api_key"])
    }

    /// Creates an installation where `E-1` was refused at the import by a rule that became stricter after its create.
    pub(crate) fn with_rejected() -> (Self, Server, Client) {
        let (installation, key) = Self::with_supplier();
        let api = installation.serve_with(&["--role", "api"]);
        assert_eq!(api.client(&key).create(&nameless("E-1")).status, 201);
        drop(api);
        installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
        let server = installation.serve();
        let client = server.client(&key);
        client.wait("E-1", "ERRORED");
        (installation, server, client)
    }

    /// Creates an installation with a second organisation, `Other`, that owns the supplier `OTHERS`, with a
    /// server and clients of both.
    pub(crate) fn with_two_organisations() -> (Self, Server, Client, Client) {
        let (installation, key) = Self::with_supplier();
        installation.run_json(&["organisation", "add", "Other"]);
        installation.run_json(&["supplier", "add", "OTHERS", "--organisation", "Other"]);
        let other = installation.key("Other");
        let server = installation.serve();
        let (client, owner) = (server.client(&key), server.client(&other));
        (installation, server, client, owner)
    }
}
