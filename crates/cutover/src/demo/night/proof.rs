use super::waves;
use crate::demo::client::text;
use crate::demo::supplier::Supplier;
use crate::error::Error;
use cutover_model::certificate::{
    Certificate, MerkleRoot, account_content, certified_content, hash_of_line, verify_signature,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The account of which a digit is changed, by its index.
const CHANGED: usize = 20;
/// The digit is in this amount.
const AMOUNT: &str = "/ledgers/0/current_statement_transactions/0/amount";

/// The supplier's evidence: the certificate, its leaves, the public key, and the supplier's own accounts, one JSON text each.
struct Evidence {
    certificate: String,
    leaves: String,
    public_key: String,
    accounts: Vec<String>,
}

impl Supplier<'_> {
    /// Issues a certificate and compares it with the supplier's own files, as they are and with a digit changed.
    pub(super) fn proof(&self) -> Result<Value, Error> {
        let out = self.out;
        out.chapter("16. A signed certificate, compared with the supplier's own files");
        let mut evidence = self.obtain()?;
        let certificate = evidence.verified()?;
        self.print_certificate(&certificate);
        let folder = self.keep(&evidence)?;
        out.line(&format!("  These and the supplier's files are in {folder}:"));
        out.line("  $ cutover-client verify certificate.json accounts.ndjson --leaves leaves.ndjson \\");
        out.line(&format!("      --public-key {}", evidence.public_key));
        let agree = evidence.differing()?;
        self.print_differing(&agree);
        let (number, change) = self.change_a_digit(&mut evidence)?;
        out.row("one digit changed", &format!("in a copy of {number}: {change}"));
        let differing = evidence.differing()?;
        self.print_differing(&differing);
        let issued = evidence.verified()?;
        Ok(json!({
            "folder": folder,
            "public_key": evidence.public_key,
            "id": issued.id,
            "accounts": issued.accounts,
            "merkle_root": issued.merkle_root,
            "manifest": issued.manifest,
            "differing": agree,
            "changed": number,
            "differing_then": differing,
        }))
    }

    /// Issues the certificate, and fetches what the supplier needs to verify it.
    fn obtain(&self) -> Result<Evidence, Error> {
        let (client, path) = (&self.client, self.path("certificate"));
        let issued = client.post(&path, &json!({}))?.expect(201)?.body;
        let id = text(&issued, "id");
        self.out.row("POST …/certificate/", &format!("201  {id}"));
        let leaves = client.get_text(&format!("{path}{id}/leaves/"))?;
        // By another way than the certificate: the operator tells it.
        self.out.command("certificate-key show");
        let public_key = self.app().certificate_key(None)?.public_key;
        self.out.row("  public key", &public_key);
        let accounts = self.batch.iter().map(|account| account.payload.to_string()).collect();
        Ok(Evidence { certificate: issued.to_string(), leaves, public_key, accounts })
    }

    fn print_certificate(&self, certificate: &Certificate) {
        let (out, manifest) = (self.out, &certificate.manifest);
        for (name, totals) in [("declared", &manifest.declared), ("sent", &manifest.sent)] {
            out.row(name, &totals.as_ref().map_or_else(|| "unknown".to_owned(), waves::in_words));
        }
        out.row("imported", &waves::in_words(&manifest.imported));
        out.row("root", &certificate.merkle_root);
    }

    /// Writes the evidence into a folder, for the client. Returns the folder.
    fn keep(&self, evidence: &Evidence) -> Result<String, Error> {
        let folder = self.installation.settings.values.data_dir.join("evidence").join(&self.code);
        std::fs::create_dir_all(&folder)?;
        let accounts: String = evidence.accounts.iter().map(|line| format!("{line}\n")).collect();
        for (name, text) in [
            ("certificate.json", &evidence.certificate),
            ("leaves.ndjson", &evidence.leaves),
            ("accounts.ndjson", &accounts),
        ] {
            std::fs::write(folder.join(name), text)?;
        }
        Ok(folder.display().to_string())
    }

    /// Changes the last digit of an amount in the supplier's own file of an account.
    fn change_a_digit(&self, evidence: &mut Evidence) -> Result<(String, String), Error> {
        let absent = || Error::refused("no digit of the night's accounts can be changed");
        let account = self.batch.get(CHANGED).ok_or_else(absent)?;
        let mut payload = account.payload.clone();
        let amount = payload.pointer_mut(AMOUNT).ok_or_else(absent)?;
        let before = amount.as_str().ok_or_else(absent)?.to_owned();
        let digit = before.chars().last().and_then(|last| last.to_digit(10)).ok_or_else(absent)?;
        let after = format!("{}{}", &before[..before.len() - 1], (digit + 1) % 10);
        *amount = json!(after);
        *evidence.accounts.get_mut(CHANGED).ok_or_else(absent)? = payload.to_string();
        Ok((account.number.clone(), format!("the amount {before} becomes {after}")))
    }

    fn print_differing(&self, differing: &BTreeSet<String>) {
        let agree = self.batch.len() - differing.len();
        let named = match differing.len() {
            0 => "the signature, the root, and every account agree".to_owned(),
            _ => {
                let named = differing.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                format!("the signature and the root agree; these accounts do not: {named}")
            }
        };
        self.out.row("verified", &format!("{agree:>4}  {named}"));
    }
}

impl Evidence {
    /// The certificate, after its signature was verified.
    fn verified(&self) -> Result<Certificate, Error> {
        verify_signature(self.certificate.as_bytes(), &self.public_key).map_err(refused)
    }

    /// Compares the certificate with the supplier's own files without the service. Returns the numbers of accounts whose
    /// content differs, or which only one side has.
    fn differing(&self) -> Result<BTreeSet<String>, Error> {
        let certificate = self.verified()?;
        let mut own = self.contents()?;
        let (mut root, mut differing) = (MerkleRoot::default(), BTreeSet::new());
        for line in self.leaves.lines() {
            let (hash, leaf) = hash_of_line(line.as_bytes()).map_err(refused)?;
            root.push(hash);
            let Some(leaf) = leaf else { continue };
            if leaf.content != own.remove(&leaf.external_account_number) {
                differing.insert(leaf.external_account_number);
            }
        }
        differing.extend(own.into_keys());
        if certificate.root() != Some(root.root()) || certificate.accounts != root.leaves() {
            return Err(Error::refused("the leaves do not come to the root of the certificate"));
        }
        Ok(differing)
    }

    /// The hash of each account of the files, by its number. Nothing was added to these accounts.
    fn contents(&self) -> Result<BTreeMap<String, String>, Error> {
        let content = |line: &String| {
            let payload: Value = serde_json::from_str(line).map_err(refused)?;
            let number = text(&payload, "external_account_number").to_owned();
            let hash = account_content(line.as_bytes()).map_err(refused)?;
            Ok((number, certified_content(hash, Vec::new()).to_string()))
        };
        self.accounts.iter().map(content).collect()
    }
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::refused(error.to_string())
}
