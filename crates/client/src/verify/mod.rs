//! `cutover-client verify`: compares a certificate with the supplier's own files, without a service (contract D17).
//!
//! The files are read first: of each account the hash of its content is kept, about 200 bytes an account. Then the leaves
//! are read line by line.

mod accounts;
mod additions;
mod leaves;
mod options;
mod outcome;

pub(crate) use options::Options;

use crate::assemble::{Inputs, Read};
use crate::error::Error;
use crate::exit::Exit;
use crate::journal::{AcceptedAdditions, is_journal};
use crate::output::print;
use crate::pipeline::{End, Pipeline};
use crate::request::Selection;
use accounts::{Accounts, Hasher};
use additions::Additions;
use cutover_model::certificate::{Certificate, InclusionProof, InvalidCertificate, verify_signature};
use outcome::Outcome;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Verifies a certificate, prints the result, and names each account that does not agree.
///
/// # Errors
/// [`Error`] if a file cannot be read or the public key is none.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let json = read(&options.certificate)?;
    let key = options.public_key()?;
    let certificate = match verify_signature(&json, &key) {
        Ok(certificate) => certificate,
        Err(error @ InvalidCertificate::PublicKey) => return Err(Error::refused(error.to_string())),
        Err(error) => return finish(options, &Outcome::invalid(error.to_string())),
    };
    let mut outcome = Outcome::of(&certificate);
    let proof = options.proof.as_deref().map(read).transpose()?;
    let mut accounts = match options.paths.is_empty() {
        true => Accounts::new(certificate.import_supplier.clone()),
        false => {
            outcome.time_zone = Some(options.zone().name().to_owned());
            read_accounts(options, &certificate)?
        }
    };
    match proof {
        Some(proof) => verify_proof(&proof, &certificate, &mut accounts, &mut outcome, options),
        None => {
            let path = options.leaves.as_deref().ok_or_else(|| Error::refused("name the leaves"))?;
            let file = File::open(path).map_err(Error::file("read", path))?;
            leaves::compare(BufReader::new(file), &certificate, &mut accounts, &mut outcome)
                .map_err(Error::file("read", path))?;
        }
    }
    outcome.end(accounts, options.proof.is_none());
    finish(options, &outcome)
}

fn finish(options: &Options, outcome: &Outcome) -> Result<Exit, Error> {
    print(&if options.json { outcome.json() } else { outcome.text() })?;
    Ok(if outcome.agrees() { Exit::Success } else { Exit::Faulty })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::file("read", path))
}

/// Reads the supplier's files: first what was added, then the accounts.
fn read_accounts(options: &Options, certificate: &Certificate) -> Result<Accounts, Error> {
    let (zone, workers) = (options.zone(), options.workers());
    let (journals, files): (Vec<PathBuf>, Vec<PathBuf>) =
        options.additions.iter().cloned().partition(|path| is_journal(path));
    let accepted = if journals.is_empty() { None } else { Some(AcceptedAdditions::read(&journals)?) };
    // A journal alone names the files.
    let named = accepted.as_ref().filter(|_| files.is_empty()).map(|accepted| accepted.files.clone());
    let files = named.unwrap_or(files);
    let mut additions = Additions::accepted_by(accepted);
    if !files.is_empty() {
        let pipeline = Pipeline::new();
        let inputs = Inputs::find_requests(&Selection::ADDITIONS, &files, &[], &options.tables)?;
        let Read { sources, tables } = inputs.read(pipeline.stop(), true)?;
        additions.tables(tables)?;
        let reader = additions::Reader { zone };
        let of = &certificate.import_supplier;
        pipeline.run(sources.clone(), workers, reader, |location: crate::input::Location, event| {
            additions.see(&sources[location.source as usize].name, location.line, event, of)
        })?;
    }
    let additions = additions.ordered()?;
    let pipeline = Pipeline::new();
    let inputs = Inputs::find(&options.paths, &[], &options.tables)?;
    let sources = inputs.read(pipeline.stop(), true)?.sources;
    let mut accounts = Accounts::new(certificate.import_supplier.clone());
    let hasher = Hasher { zone, additions: Arc::new(additions) };
    let end = pipeline.run(sources.clone(), workers, hasher, |location: crate::input::Location, event| {
        accounts.see(&sources, location, event)
    })?;
    match end {
        End::Complete => Ok(accounts),
        End::Stopped => Err(Error::Lost),
    }
}

/// Compares the leaf of a proof, once it is known to be part of the certificate's tree.
fn verify_proof(
    json: &[u8],
    certificate: &Certificate,
    accounts: &mut Accounts,
    outcome: &mut Outcome,
    options: &Options,
) {
    let Ok(proof) = serde_json::from_slice::<InclusionProof>(json) else {
        return outcome.problem("the proof is none of the documented members");
    };
    outcome.proven = Some(proof.leaf.external_account_number.clone());
    if !proof.proves(certificate) {
        return outcome.problem("the proof does not lead to the root of the certificate");
    }
    outcome.root = true;
    if !options.paths.is_empty() {
        leaves::compare_leaf(&proof.leaf, accounts, outcome);
    }
}
