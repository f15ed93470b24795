//! The tarballs of the programs.

use super::archive::{Tree, read};
use super::release::Release;
use super::{CLIENT, SERVICE};
use crate::error::Error;
use crate::{cargo, files};

/// Shells that the client has completions for, and the names of their files.
const SHELLS: [(&str, &str); 3] =
    [("bash", "cutover-client.bash"), ("fish", "cutover-client.fish"), ("zsh", "_cutover-client")];

/// The licences of the project.
pub(super) const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Packs the service with the files of `deploy/` for a host.
pub(super) fn service(release: &Release, bill: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut tree, top) = (Tree::default(), release.top(SERVICE));
    tree.program(&format!("{top}/{SERVICE}"), read(&release.service)?);
    tree.file(&format!("{top}/{SERVICE}.cdx.json"), bill);
    for file in LICENCES.into_iter().chain(["CHANGELOG.md", "README.md"]) {
        tree.copy(&format!("{top}/{file}"), file)?;
    }
    tree.copy(&format!("{top}/docs/OPERATIONS.md"), "docs/OPERATIONS.md")?;
    for folder in ["deploy/monitoring", "deploy/postgres", "deploy/systemd"] {
        tree.copy_folder(&format!("{top}/{folder}"), folder)?;
    }
    packed(&tree, release)
}

/// Packs the client with its manual pages and completions.
pub(super) fn client(release: &Release, bill: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut tree, top) = (Tree::default(), release.top(CLIENT));
    tree.program(&format!("{top}/{CLIENT}"), read(&release.client)?);
    tree.file(&format!("{top}/{CLIENT}.cdx.json"), bill);
    for file in LICENCES {
        tree.copy(&format!("{top}/{file}"), file)?;
    }
    tree.copy(&format!("{top}/client.md"), "docs/client.md")?;
    for (shell, file) in SHELLS {
        let script = printed(release, &["completions", shell])?;
        tree.file(&format!("{top}/completions/{file}"), script);
    }
    let pages = cargo::scratch().join("man");
    files::empty_folder(&pages)?;
    printed(release, &["man", &pages.display().to_string()])?;
    tree.copy_folder(&format!("{top}/man"), "target/xtask/man")?;
    packed(&tree, release)
}

/// The output of a command of the client.
fn printed(release: &Release, args: &[&str]) -> Result<String, Error> {
    let mut command = cargo::command(&release.client);
    command.args(args);
    cargo::output(command).ok_or_else(|| Error::Package(format!("{CLIENT} {} failed", args.join(" "))))
}

/// Packs a tree with the date of the release.
pub(super) fn packed(tree: &Tree, release: &Release) -> Result<Vec<u8>, Error> {
    tree.tar_gz(release.date).map_err(|e| Error::Package(format!("cannot pack the files: {e}")))
}
