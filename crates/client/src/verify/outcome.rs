use super::accounts::Accounts;
use crate::output::{document, grouped};
use cutover_core::plain;
use cutover_model::certificate::Certificate;
use serde::Serialize;

/// Result of a verification.
#[derive(Debug, Default, Serialize)]
pub(super) struct Outcome {
    certificate: Option<String>,
    import_supplier: Option<String>,
    issued_at: Option<String>,
    /// The zone of datetimes without offset in the files; `None` if no files were read.
    pub(super) time_zone: Option<String>,
    /// True if the signature is that of the public key.
    signature: bool,
    /// True if the leaves, or the proof, come to the root of the certificate.
    pub(super) root: bool,
    pub(super) leaves: u64,
    /// Leaves whose account was erased since.
    pub(super) erased: u64,
    /// Accounts whose content or totals are not those of the files.
    pub(super) differing: Vec<Differing>,
    /// Accounts of the files without a leaf.
    pub(super) missing: Vec<Box<str>>,
    /// Accounts of the certificate that the files lack.
    pub(super) extra: Vec<Box<str>>,
    /// Accounts whose leaf has no hash of content, so that nothing can be compared.
    pub(super) without_content: Vec<Box<str>>,
    /// Accounts of the files without a leaf, which may be those that were erased.
    maybe_erased: Vec<Box<str>>,
    /// Accounts of other suppliers in the files.
    of_others: u64,
    /// Copies of accounts in the files that differ from the one before.
    copies: u64,
    /// Accounts of the files that cannot be read.
    unreadable: u64,
    /// The account of the proof.
    pub(super) proven: Option<String>,
    /// What else does not agree.
    problems: Vec<String>,
    agrees: bool,
}

/// An account that does not agree.
#[derive(Debug, Serialize)]
pub(super) struct Differing {
    #[serde(rename = "external_account_number")]
    pub(super) number: Box<str>,
    /// `content` or `totals`.
    pub(super) what: &'static str,
}

/// Maximum number of accounts and problems that are named to people.
const NAMED: usize = 100;

impl Outcome {
    /// The certificate is not valid.
    pub(super) fn invalid(why: String) -> Self {
        Self { problems: vec![why], ..Self::default() }
    }

    /// The certificate is signed; the rest is to be verified.
    pub(super) fn of(certificate: &Certificate) -> Self {
        Self {
            certificate: Some(certificate.id.clone()),
            import_supplier: Some(certificate.import_supplier.clone()),
            issued_at: Some(certificate.issued_at.clone()),
            signature: true,
            ..Self::default()
        }
    }

    /// Adds something that does not agree. A long list of the same kind ends.
    pub(super) fn problem(&mut self, what: impl Into<String>) {
        if self.problems.len() < NAMED {
            self.problems.push(what.into());
        }
    }

    /// Takes the accounts that have no leaf, if all leaves were read. As many as there are erased leaves may be those.
    pub(super) fn end(&mut self, accounts: Accounts, is_whole: bool) {
        self.of_others = accounts.of_others;
        let (places, unreadable) = accounts.unreadable.clone();
        self.unreadable = unreadable;
        for place in places {
            self.problem(format!("{place} is no account with a supplier and a number"));
        }
        let (texts, copies) = accounts.differing.clone();
        self.copies = copies;
        texts.into_iter().for_each(|text| self.problem(text));
        if is_whole {
            let rest = accounts.rest();
            match rest.len() as u64 <= self.erased {
                true => self.maybe_erased = rest,
                false => self.missing = rest,
            }
        }
        self.agrees = self.signature
            && self.root
            && self.differing.is_empty()
            && self.missing.is_empty()
            && self.extra.is_empty()
            && self.without_content.is_empty()
            && self.unreadable == 0
            && self.copies == 0
            && self.problems.is_empty();
    }

    /// True if everything agrees.
    pub(super) fn agrees(&self) -> bool {
        self.agrees
    }

    /// One JSON document for programs.
    pub(super) fn json(&self) -> String {
        document(self)
    }

    /// Text for people.
    pub(super) fn text(&self) -> String {
        let or = |text: &Option<String>| text.as_deref().map_or("-".to_owned(), plain);
        let mut text = format!(
            "Certificate  {}\nSupplier     {}\nIssued       {}\nSignature    {}\n",
            or(&self.certificate),
            or(&self.import_supplier),
            or(&self.issued_at),
            if self.signature { "valid" } else { "not valid" },
        );
        match &self.proven {
            Some(number) => text += &format!("Account      {}\n", plain(number)),
            None if self.signature => text += &format!("Accounts     {}\n", grouped(self.leaves)),
            None => {}
        }
        if let Some(zone) = &self.time_zone {
            text += &format!("Time zone    {zone}\n");
        }
        let differing: Vec<String> =
            self.differing.iter().map(|one| format!("{}  {}", plain(&one.number), one.what)).collect();
        let names = |numbers: &[Box<str>]| numbers.iter().map(|number| plain(number)).collect::<Vec<_>>();
        for (title, names) in [
            ("Other than in the files", differing),
            ("In the files, not in the certificate", names(&self.missing)),
            ("In the certificate, not in the files", names(&self.extra)),
            ("Accepted before there were certificates: not comparable", names(&self.without_content)),
            ("In the files, not in the certificate: erased since", names(&self.maybe_erased)),
        ] {
            text += &list(title, &names);
        }
        if self.of_others > 0 {
            text += &format!("\n{} accounts of other suppliers do not count\n", grouped(self.of_others));
        }
        let problems: Vec<String> = self.problems.iter().map(|problem| plain(problem)).collect();
        text += &list("Faults", &problems);
        text + if self.agrees { "\nEverything agrees.\n" } else { "\nNot everything agrees.\n" }
    }
}

fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}: {}\n", grouped(lines.len() as u64));
    text.extend(lines.iter().take(NAMED).map(|line| format!("  {line}\n")));
    if lines.len() > NAMED {
        text += "  and others; --json names all\n";
    }
    text
}
