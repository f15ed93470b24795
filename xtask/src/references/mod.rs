//! Files in `docs/` and `deploy/` that are generated from code and other files.

mod alerts;
mod error_codes;
mod fields;
mod process;
mod schemas;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cutover_model::tables::tables_markdown;

use crate::cargo;
use crate::error::Error;
pub(crate) use alerts::ALERT_RULES;

/// A generated file.
struct Reference {
    /// Path from the root of the repository.
    path: &'static str,
    render: fn() -> Result<String, Error>,
}

/// Every generated file.
const REFERENCES: &[Reference] = &[
    Reference { path: "docs/error-codes.md", render: || Ok(error_codes::markdown()) },
    Reference { path: "docs/fields.md", render: fields::markdown },
    Reference { path: "docs/tables.md", render: || Ok(tables_markdown()) },
    Reference { path: "docs/process.md", render: || Ok(process::markdown()) },
    Reference { path: "docs/rules.md", render: || Ok(cutover_rules::reference::rules_markdown()) },
    Reference { path: "docs/schema/account.schema.json", render: || Ok(schemas::of("account")) },
    Reference { path: "docs/schema/notes.schema.json", render: || Ok(schemas::of("notes")) },
    Reference { path: "docs/schema/transactions.schema.json", render: || Ok(schemas::of("transactions")) },
    Reference {
        path: "docs/schema/historical-statements.schema.json",
        render: || Ok(schemas::of("historical-statements")),
    },
    Reference {
        path: "docs/schema/payment-instruction.schema.json",
        render: || Ok(schemas::of("payment-instruction")),
    },
    Reference { path: "docs/schema/business.schema.json", render: || Ok(schemas::of("business")) },
    Reference {
        path: "docs/schema/business-payment-instruction.schema.json",
        render: || Ok(schemas::of("business-payment-instruction")),
    },
    Reference { path: "docs/schema/manifest.schema.json", render: || Ok(schemas::of("manifest")) },
    Reference {
        path: "docs/schema/manifest-numbers.schema.json",
        render: || Ok(schemas::of("manifest-numbers")),
    },
    Reference { path: "docs/schema/run.schema.json", render: || Ok(schemas::of("run")) },
    Reference {
        path: "docs/schema/account-search.schema.json",
        render: || Ok(schemas::of("account-search")),
    },
    Reference { path: "deploy/kubernetes/monitoring/rules.yaml", render: alerts::prometheus_rule },
];

/// Command that updates the references.
pub(crate) const FIX: &str = "cargo xtask docs";

/// `cargo xtask docs`; with `check` it writes nothing.
pub(crate) fn command(check: bool) -> Result<ExitCode, Error> {
    if check {
        let stale = stale()?;
        for path in &stale {
            eprintln!("stale: {path}");
        }
        if !stale.is_empty() {
            eprintln!("fix with: {FIX}");
            return Ok(ExitCode::FAILURE);
        }
    } else {
        for path in write_stale(cargo::root(), REFERENCES)? {
            println!("wrote {path}");
        }
        if !cargo::succeeds(write_by_test())? {
            return Ok(ExitCode::FAILURE);
        }
    }
    println!(
        "up to date: {}",
        REFERENCES.iter().map(|reference| reference.path).collect::<Vec<_>>().join(", ")
    );
    Ok(ExitCode::SUCCESS)
}

/// The description of the API: only the HTTP edge knows routes and status codes. A test there compares the file, and
/// writes it if a variable is set.
fn write_by_test() -> Command {
    let test = "openapi::tests::the_file_in_docs_is_up_to_date";
    let mut command = cargo::cargo(["test", "--quiet", "--package", "cutover-http", test]);
    command.env("CUTOVER_WRITE_REFERENCES", "1");
    command
}

/// Returns the references that differ from the code or are missing.
pub(crate) fn stale() -> Result<Vec<&'static str>, Error> {
    stale_of(cargo::root(), REFERENCES)
}

fn stale_of(root: &Path, references: &[Reference]) -> Result<Vec<&'static str>, Error> {
    let mut stale = Vec::new();
    for reference in references {
        if read(&root.join(reference.path))?.as_deref() != Some((reference.render)()?.as_str()) {
            stale.push(reference.path);
        }
    }
    Ok(stale)
}

fn write_stale(root: &Path, references: &[Reference]) -> Result<Vec<&'static str>, Error> {
    let stale = stale_of(root, references)?;
    for reference in references.iter().filter(|reference| stale.contains(&reference.path)) {
        write(&root.join(reference.path), &(reference.render)()?)?;
    }
    Ok(stale)
}

fn read(path: &PathBuf) -> Result<Option<String>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", path)(error)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    std::fs::write(path, text).map_err(Error::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[Reference] = &[
        Reference { path: "docs/one.md", render: || Ok("one\n".to_owned()) },
        Reference { path: "docs/two.md", render: || Ok("two\n".to_owned()) },
    ];

    #[test]
    fn missing_and_changed_references_are_stale_until_written() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(stale_of(root.path(), TWO).unwrap(), ["docs/one.md", "docs/two.md"]);
        assert_eq!(write_stale(root.path(), TWO).unwrap(), ["docs/one.md", "docs/two.md"]);
        assert_eq!(stale_of(root.path(), TWO).unwrap(), [""; 0]);

        std::fs::write(root.path().join("docs/two.md"), "two, by hand\n").unwrap();
        assert_eq!(stale_of(root.path(), TWO).unwrap(), ["docs/two.md"]);
        assert_eq!(write_stale(root.path(), TWO).unwrap(), ["docs/two.md"]);
        assert_eq!(std::fs::read_to_string(root.path().join("docs/two.md")).unwrap(), "two\n");
    }
}
