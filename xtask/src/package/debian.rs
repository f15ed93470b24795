//! The Debian package of the service.

use std::path::Path;

use super::archive::{Tree, read};
use super::release::Release;
use super::tarball::{LICENCES, packed};
use super::{SERVICE, libraries};
use crate::error::Error;
use crate::files;

/// Scripts that dpkg runs, in `deploy/debian`.
const SCRIPTS: [&str; 3] = ["postinst", "postrm", "prerm"];
/// The settings, which belong to the operator once they are installed.
const SETTINGS: &str = "etc/cutover/cutover.toml";
/// Folder of the documentation.
const DOCUMENTS: &str = "usr/share/doc/cutover";
/// Path of the program in `deploy/systemd/cutover.service`, for installing by hand, and in packages.
const FOLDERS: (&str, &str) = ("/usr/local/bin/", "/usr/bin/");

/// Returns the bytes of the package.
pub(super) fn package(release: &Release, bill: &[u8]) -> Result<Vec<u8>, Error> {
    let program = read(&release.service)?;
    let depends = libraries::debian_depends(&program, &libraries::of(&release.service)?)?;
    let data = data(program, bill)?;
    let mut control = Tree::default();
    control.file("control", description(release, &depends, data.size()));
    control.file("conffiles", format!("/{SETTINGS}\n"));
    for script in SCRIPTS {
        control.program(script, text(&format!("deploy/debian/{script}"))?);
    }
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", packed(&control, release)?),
        ("data.tar.gz", packed(&data, release)?),
    ];
    archive(&members, release.date).map_err(|e| Error::Package(format!("cannot write the package: {e}")))
}

/// The version in Debian's order, where only a tilde sorts a candidate before its release.
pub(super) fn version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

fn archive(members: &[(&str, Vec<u8>)], date: u64) -> std::io::Result<Vec<u8>> {
    let mut builder = ar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(date);
        builder.append(&header, bytes.as_slice())?;
    }
    builder.into_inner()
}

/// The files that are installed.
fn data(program: Vec<u8>, bill: &[u8]) -> Result<Tree, Error> {
    let mut tree = Tree::default();
    tree.program("usr/bin/cutover", program);
    tree.file("usr/lib/systemd/system/cutover.service", unit(&text("deploy/systemd/cutover.service")?)?);
    tree.copy("usr/lib/sysusers.d/cutover.conf", "deploy/systemd/cutover.sysusers")?;
    // Its group is set after the user is created.
    tree.file_with(SETTINGS, text("deploy/systemd/cutover.toml")?, 0o640);
    tree.file(&format!("{DOCUMENTS}/copyright"), copyright(&text("LICENSE-MIT")?));
    tree.file(&format!("{DOCUMENTS}/{SERVICE}.cdx.json"), bill);
    for file in LICENCES.into_iter().chain(["CHANGELOG.md", "README.md"]) {
        tree.copy(&format!("{DOCUMENTS}/{file}"), file)?;
    }
    tree.copy(&format!("{DOCUMENTS}/OPERATIONS.md"), "docs/OPERATIONS.md")?;
    for folder in ["monitoring", "postgres"] {
        tree.copy_folder(&format!("{DOCUMENTS}/{folder}"), &format!("deploy/{folder}"))?;
    }
    Ok(tree)
}

fn text(path: &str) -> Result<String, Error> {
    files::read(Path::new(path))
}

/// The unit with the packaged program, without the head, which describes installing by hand.
fn unit(unit: &str) -> Result<String, Error> {
    let (by_hand, packaged) = FOLDERS;
    let body = unit.find("[Unit]\n").map(|at| &unit[at..]).filter(|body| body.contains(by_hand));
    let body = body.ok_or_else(|| Error::Package(format!("the unit has no program in {by_hand}")))?;
    Ok(body.replace(by_hand, packaged))
}

/// The file `control`. `size` is that of the installed files in bytes.
fn description(release: &Release, depends: &str, size: usize) -> String {
    let homepage = release.metadata.package(SERVICE).and_then(|package| package.repository.as_deref());
    format!(
        "Package: {SERVICE}\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: The Cutover developers\n\
         Installed-Size: {}\n\
         Depends: {depends}\n\
         Section: net\n\
         Priority: optional\n\
         Homepage: {}\n\
         Description: Takes in the customers of another energy supplier\n \
         A service with an API for accounts, their validation and their import, on\n \
         SQLite or PostgreSQL.\n",
        version(&release.version),
        release.arch,
        size.div_ceil(1024),
        homepage.unwrap_or_default(),
    )
}

/// The machine-readable copyright file. Debian has the text of one licence, the other is written out.
fn copyright(mit: &str) -> String {
    let holder = mit.lines().find_map(|line| line.strip_prefix("Copyright ")).unwrap_or_default();
    let indented = |line: &str| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
    let text: String = mit.lines().skip_while(|line| !line.starts_with("Permission")).map(indented).collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Cutover\n\
         Comment: {SERVICE}.cdx.json lists the libraries in the program with their licences.\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{text}\n\
         License: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_runs_the_packaged_program() {
        let unit = unit(&text("deploy/systemd/cutover.service").unwrap()).unwrap();
        assert!(unit.starts_with("[Unit]\n") && unit.contains("\nExecStart=/usr/bin/cutover serve"));
        assert!(!unit.contains("/usr/local"));
        assert!(super::unit("[Unit]\nExecStart=/opt/cutover\n").is_err());
    }

    #[test]
    fn candidates_sort_before_their_release() {
        assert_eq!(version("0.2.0-rc.1"), "0.2.0~rc.1");
        assert_eq!(version("0.2.0"), "0.2.0");
    }

    #[test]
    fn the_copyright_has_a_holder_and_no_empty_line_in_a_text() {
        let copyright = copyright(&text("LICENSE-MIT").unwrap());
        assert!(copyright.contains("\nCopyright: (c) The Cutover developers\nLicense: "), "{copyright}");
        assert!(
            copyright.contains("\nLicense: Expat\n Permission is hereby granted")
                && copyright.contains("\n .\n")
        );
    }

    #[test]
    fn the_archive_begins_as_dpkg_expects() {
        let bytes = archive(&[("debian-binary", b"2.0\n".to_vec())], 7).unwrap();
        let head = "!<arch>\ndebian-binary   7           0     0     100644  4         `\n2.0\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), head);
    }
}
