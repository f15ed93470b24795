//! The client in TypeScript.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{DESCRIPTION, Fault, migrate};
use crate::cargo;
use crate::error::Error;
use crate::steps::Tools;

/// Folder of the program, the settings of the compiler and the pinned versions.
const SOURCES: &str = "xtask/clients/typescript";
/// Files that a client is compiled from, besides those that are generated.
const FILES: &[&str] = &["check.ts", "tsconfig.json", "package.json"];
/// Folders of fixtures, and the type of the requests in each.
const FIXTURES: &[(&str, &str)] = &[
    ("accounts", "Account"),
    ("notes", "NotesRequest"),
    ("transactions", "TransactionsRequest"),
    ("statements", "HistoricalStatementsRequest"),
    ("payment_instructions", "PaymentInstructionRequest"),
    ("businesses", "BusinessRequest"),
    ("business_payment_instructions", "BusinessPaymentInstructionRequest"),
    ("manifests", "ManifestRequest"),
    ("manifest_numbers", "ManifestNumbersRequest"),
    ("runs", "RunRequest"),
    ("account_searches", "AccountSearchRequest"),
];

/// Returns the folder with the generator, the compiler and libraries; it is filled if allowed and needed.
pub(super) fn find(tools: Tools) -> Option<PathBuf> {
    let there = || Some(folder()).filter(|folder| is_there(folder));
    there().or_else(|| {
        let installed = tools == Tools::Install && install(&folder()).unwrap_or(false);
        there().filter(|_| installed)
    })
}

/// Message if the generator is missing.
pub(super) fn missing() -> String {
    "no openapi-typescript in the pinned version: --install installs it, with node and npm".to_owned()
}

/// Generates the types, compiles the program and the fixtures with them, and runs it.
pub(super) fn check(tools: &Path) -> Result<Result<(), Fault>, Error> {
    // Next to the libraries, where node and the compiler look for them.
    let folder = tools.join("client");
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    for name in FILES {
        let (from, to) = (cargo::root().join(SOURCES).join(name), folder.join(name));
        std::fs::copy(&from, &to).map_err(Error::file("copy", &from))?;
    }
    let fixtures = folder.join("fixtures.ts");
    std::fs::write(&fixtures, typed_fixtures()?).map_err(Error::file("write", &fixtures))?;
    let mut generator = cargo::command(tools.join("node_modules/.bin/openapi-typescript"));
    generator.arg(DESCRIPTION).arg("--output").arg(folder.join("schema.d.ts"));
    if !cargo::succeeds(generator)? {
        return Ok(Err(format!("openapi-typescript cannot read {DESCRIPTION}, see above")));
    }
    let mut compiler = cargo::command(tools.join("node_modules/.bin/tsc"));
    compiler.arg("--project").arg(&folder);
    if !cargo::succeeds(compiler)? {
        return Ok(Err("the types of openapi-typescript do not accept the fixtures, see above".to_owned()));
    }
    let mut program = cargo::command("node");
    program.arg(folder.join("out/check.js"));
    migrate("TypeScript", program)
}

/// Every valid fixture, declared as the type that it must fit.
fn typed_fixtures() -> Result<String, Error> {
    let mut text = "import type { components } from \"./schema.js\";\n".to_owned();
    for (kind, name) in FIXTURES {
        let folder = cargo::root().join("fixtures").join(kind).join("valid");
        let entries = std::fs::read_dir(&folder).map_err(Error::file("list", &folder))?;
        let mut paths = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(Error::file("list", &folder))?;
        paths.sort();
        let _ = writeln!(text, "export const {kind} = {{");
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        {
            let body = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
            let parsed: Value =
                serde_json::from_str(&body).map_err(|source| Error::Json { path: path.clone(), source })?;
            let name = if parsed.get("payload").is_some() { "AccountEnvelope" } else { name };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let _ = writeln!(
                text,
                "\"{stem}\": {} satisfies components[\"schemas\"][\"{name}\"],",
                body.trim_end()
            );
        }
        text.push_str("};\n");
    }
    Ok(text)
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools/openapi-typescript")
}

/// True if what the lock file pins is installed: npm keeps a copy of it beside the modules.
fn is_there(folder: &Path) -> bool {
    let read = |path: PathBuf| std::fs::read(path).ok();
    let lock = read(cargo::root().join(SOURCES).join("package-lock.json"));
    let mut node = cargo::command("node");
    node.arg("--version");
    lock.is_some()
        && read(folder.join("package-lock.json")) == lock
        && folder.join("node_modules/.package-lock.json").is_file()
        && cargo::output(node).is_some()
}

/// Installs it. Returns true if it worked; errors are on the terminal.
fn install(folder: &Path) -> Result<bool, Error> {
    std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    for name in ["package.json", "package-lock.json"] {
        let from = cargo::root().join(SOURCES).join(name);
        std::fs::copy(&from, folder.join(name)).map_err(Error::file("copy", &from))?;
    }
    let mut command = cargo::command("npm");
    command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(folder);
    cargo::succeeds(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_of_valid_fixtures_has_a_type() {
        let folder = cargo::root().join("fixtures");
        let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let folders =
            folders.filter(|entry| entry.path().join("valid").is_dir()).map(|entry| entry.file_name());
        let mut folders: Vec<_> = folders.map(|name| name.into_string().unwrap()).collect();
        folders.sort();
        let mut typed: Vec<_> = FIXTURES.iter().map(|(folder, _)| (*folder).to_owned()).collect();
        typed.sort();
        assert_eq!(folders, typed);
        assert!(typed_fixtures().unwrap().contains("satisfies components[\"schemas\"][\"AccountEnvelope\"]"));
    }
}
