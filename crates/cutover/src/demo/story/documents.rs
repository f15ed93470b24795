use super::Story;
use crate::demo::pdf::pdf;
use crate::error::Error;
use cutover_app::operator::SupplierChange;
use serde_json::{Value, json};
use std::path::PathBuf;

impl Story<'_> {
    /// Documents must be there from now on: an account whose are, and one whose are not; the number of
    /// the one that was imported.
    pub(in crate::demo) fn documents(&mut self) -> Result<String, Error> {
        self.stage.chapter("8. Documents: what a payload names must lie in storage");
        self.verify_documents(true)?;
        let mut account = self.accounts.valid();
        let letter = format!("letters/{}.pdf", account.number);
        account.payload["notes"] = json!([{
            "body": "The letter that welcomes the customer.",
            "document_paths": [{"document_path": letter}],
        }]);
        let statements = account.payload["statements"].as_array().cloned().unwrap_or_default();
        for statement in &statements {
            self.write_statement(&account.number, statement)?;
        }
        self.write(&letter, &pdf(&["Welcome to Demo Energy".to_owned(), account.number.clone()]))?;
        self.stage.say(&format!("    PDFs in {}", self.folder().display()));
        let text = self.import(&account)?;
        self.tell(&account.number, &format!("{text}, {} documents found", statements.len() + 1));

        let mut faulty = self.accounts.valid();
        let named = |id: &str, path: &str| {
            let mut statement = statements.first().cloned().unwrap_or_default();
            (statement["statement_id"], statement["statement_path"]) = (json!(id), json!(path));
            statement
        };
        let plain = format!("statements/{}.txt", faulty.number);
        self.write(&plain, b"Not a PDF.\n")?;
        faulty.payload["statements"] = json!([named("ST-X", "statements/lost.pdf"), named("ST-Y", &plain)]);
        self.tell_refusal(&faulty.number, self.client.validate(&faulty.payload.to_string())?)?;
        Ok(account.number)
    }

    /// Whether documents are looked up from now on.
    pub(in crate::demo) fn verify_documents(&self, verify: bool) -> Result<(), Error> {
        let change = SupplierChange { verify_documents: Some(verify), ..SupplierChange::default() };
        self.set_supplier(&format!("--verify-documents {verify}"), change)
    }

    /// Writes the PDF that a statement names.
    pub(super) fn write_statement(&self, number: &str, statement: &Value) -> Result<(), Error> {
        let member = |name: &str| statement[name].as_str().unwrap_or_default().to_owned();
        let lines = [
            "Demo Energy".to_owned(),
            format!("Statement {} of account {number}", member("statement_id")),
            format!("{} to {}", member("bill_period_from_date"), member("bill_period_to_date")),
        ];
        self.write(&member("statement_path"), &pdf(&lines))
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let file = self.folder().join(path.trim_start_matches('/'));
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = written.and_then(|()| std::fs::write(&file, bytes));
        written.map_err(|e| Error::refused(format!("the document {} cannot be written: {e}", file.display())))
    }

    /// Where the supplier's documents lie: its root is its code.
    fn folder(&self) -> PathBuf {
        self.house.settings.data_dir.join("documents").join(&self.house.supplier)
    }
}
