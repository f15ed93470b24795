//! Citations of the contract, the fields, the rules and the decisions: `contract D6`, `fields 1.5`, `rule
//! PST-12`, `decision 0008`. Each must name a section, a rule or a file that exists.

mod read;
mod targets;

use std::path::Path;

pub(crate) use read::{Citation, Document, citations};
pub(crate) use targets::Targets;

use crate::error::Error;
use crate::files;

pub(crate) const FIX: &str = "cite a section, rule or decision that exists";

/// Kinds of files that are searched.
const EXTENSIONS: &[&str] = &["rs", "md", "toml", "sql"];
/// The one JSON file that is searched: its descriptions come from doc comments.
const OPENAPI: &str = "docs/openapi.json";
/// Past releases cite what was there then.
const EXEMPT: &[&str] = &["CHANGELOG.md"];
/// The unit tests of this module cite what does not exist.
const OWN_TESTS: &str = "xtask/src/citations";

/// Returns a line for each citation in the repository that does not resolve, and the number of all citations.
pub(crate) fn check() -> Result<(usize, Vec<String>), Error> {
    let targets = Targets::of_repository()?;
    let mut paths = files::with_extension(EXTENSIONS)?;
    paths.retain(|path| {
        !EXEMPT.iter().any(|exempt| path == Path::new(exempt)) && !path.starts_with(OWN_TESTS)
    });
    paths.push(OPENAPI.into());
    let (mut checked, mut faults) = (0, Vec::new());
    for path in &paths {
        let text = files::read(path)?;
        let found = citations(&text);
        checked += found.len();
        let unresolved = found.iter().filter_map(|citation| Some((citation, targets.fault(citation)?)));
        faults.extend(unresolved.map(|(citation, fault)| {
            let line = text[..citation.range.start].matches('\n').count() + 1;
            format!("{}:{line}: {fault}", path.display())
        }));
    }
    Ok((checked, faults))
}
