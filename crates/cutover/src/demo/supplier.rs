//! A supplier of the demo: what it sends and reads, and what its operator does.

use super::accounts::{Generated, Generator};
use super::client::{Client, Reply, text, wait};
use super::installation::Installation;
use super::printer::Printer;
use crate::error::Error;
use cutover_app::App;
use cutover_app::operator::SupplierChange;
use serde_json::{Value, json};

pub(super) struct Supplier<'i> {
    pub(super) installation: &'i Installation,
    pub(super) client: Client,
    pub(super) out: Printer,
    pub(super) code: String,
    pub(super) accounts: Generator,
    /// Accounts that are sent in one request.
    pub(super) batch: Vec<Generated>,
}

impl<'i> Supplier<'i> {
    /// A supplier whose accounts are generated from a seed.
    pub(super) fn new(
        installation: &'i Installation,
        client: Client,
        out: Printer,
        code: &str,
        seed: u64,
    ) -> Self {
        Self {
            installation,
            client,
            out,
            code: code.to_owned(),
            accounts: Generator::new(seed, code),
            batch: Vec::new(),
        }
    }

    pub(super) fn app(&self) -> &'i App {
        &self.installation.app
    }

    /// The path of a resource of the supplier.
    pub(super) fn path(&self, of: &str) -> String {
        format!("/v2/data-import/import-suppliers/{}/{of}/", self.code)
    }

    pub(super) fn status_path(&self, number: &str) -> String {
        format!("/v2/data-import/accounts/{}/{number}/", self.code)
    }

    /// The progress of the migration.
    pub(super) fn progress(&self) -> Result<Value, Error> {
        Ok(self.client.get(&self.path("progress"))?.expect(200)?.body)
    }

    /// The status object of an account.
    pub(super) fn account(&self, number: &str) -> Result<Value, Error> {
        Ok(self.client.get(&self.status_path(number))?.expect(200)?.body)
    }

    pub(super) fn status(&self, number: &str) -> Result<String, Error> {
        Ok(text(&self.account(number)?, "status").to_owned())
    }

    /// Waits until an account has a status; returns the status object.
    pub(super) fn wait_for(&self, number: &str, status: &str) -> Result<Value, Error> {
        let what = format!("{number} as {status}");
        wait(&what, || self.account(number), |state| state["status"] == status)
    }

    /// Creates an account and waits until it is imported; returns a description.
    pub(super) fn import(&self, account: &Generated) -> Result<String, Error> {
        self.client.create(&account.payload)?.expect(201)?;
        let done = self.wait_for(&account.number, "PROCESSED")?;
        Ok(format!("create 201  PROCESSED  {}", text(&done, "service_identifier")))
    }

    pub(super) fn create_with(&self, account: &Generated, params: &Value) -> Result<Reply, Error> {
        self.client.create(&json!({"payload": account.payload, "task_params": params}))
    }

    /// Posts to a route of version 1.
    pub(super) fn add(&self, route: &str, body: &Value) -> Result<Reply, Error> {
        self.client.post(&format!("/v1/data-import/{route}"), body)
    }

    /// Writes a document into storage.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.installation.write_document(&self.code, path, bytes)
    }

    /// Changes settings, as a command with these options does.
    pub(super) fn set(&self, options: &str, change: SupplierChange) -> Result<(), Error> {
        self.out.command(&format!("supplier set {} {options}", self.code));
        self.app().as_command().set_supplier(&self.code, change)?;
        Ok(())
    }

    pub(super) fn verify_documents(&self, verify: bool) -> Result<(), Error> {
        let change = SupplierChange { verify_documents: Some(verify), ..SupplierChange::default() };
        self.set(&format!("--verify-documents {verify}"), change)
    }

    /// Prints a refusal and its errors.
    pub(super) fn print_refusal(&self, name: &str, reply: Reply) -> Result<(), Error> {
        let reply = reply.expect(400)?;
        self.out.row(name, &format!("400  {}", reply.code()));
        for (attr, code) in reply.errors() {
            self.out.line(&format!("    {attr:<40} {code}"));
        }
        Ok(())
    }
}

/// The number of accounts by status in a supplier's progress, without statuses that no account has.
pub(super) fn counts(progress: &Value) -> Value {
    let mut counts = progress["counts"].clone();
    if let Some(counts) = counts.as_object_mut() {
        counts.retain(|_, count| count != 0);
    }
    counts
}

/// True if no account waits or is being imported.
pub(super) fn is_done(progress: &Value) -> bool {
    ["PENDING", "IN_PROGRESS"].iter().all(|state| progress["counts"][state] == 0)
}
