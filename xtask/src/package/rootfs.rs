//! The root file system of the container, for hosts without an engine that can build `deploy/Containerfile`.

use std::path::{Path, PathBuf};

use super::archive::{Tree, read};
use super::release::Release;
use super::tarball::{LICENCES, packed};
use super::{SERVICE, libraries};
use crate::error::Error;

/// Number of the user and of the group, as in the image.
const USER: u32 = 10001;
/// Public certificates, for storage and payment vendors.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Libraries that glibc before 2.34 opens to look up names; ldd does not list them.
const NAME_SERVICE: [&str; 3] = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];
/// Debian packages of the files that are copied from the host.
const OF_HOST: [&str; 3] = ["ca-certificates", "libc6", "libgcc-s1"];

/// Packs the program with everything that it needs from a system.
pub(super) fn tarball(release: &Release, bill: &[u8]) -> Result<Vec<u8>, Error> {
    let mut tree = Tree::default();
    tree.program("usr/local/bin/cutover", read(&release.service)?);
    for library in all_libraries(&release.service)? {
        copy(&mut tree, &library)?;
    }
    if Path::new(CERTIFICATES).exists() {
        tree.file(relative(Path::new(CERTIFICATES)), read(Path::new(CERTIFICATES))?);
    }
    tree.file("etc/passwd", passwd());
    tree.file("etc/group", format!("root:x:0:\n{SERVICE}:x:{USER}:\n"));
    tree.file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    tree.folder("data", 0o755, USER);
    tree.folder("tmp", 0o1777, 0);
    documents(&mut tree, bill)?;
    packed(&tree, release)
}

fn passwd() -> String {
    let nologin = "/sbin/nologin";
    format!("root:x:0:0:root:/root:{nologin}\n{SERVICE}:x:{USER}:{USER}:Cutover:/data:{nologin}\n")
}

/// The libraries that ldd lists, the loader, and those for looking up names where the host has them.
fn all_libraries(program: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut all = libraries::of(program)?;
    let libc = all.iter().find(|library| library.ends_with("libc.so.6"));
    let beside = libc.into_iter().flat_map(|libc| NAME_SERVICE.map(|name| libc.with_file_name(name)));
    let more: Vec<_> = beside.filter(|library| library.exists()).collect();
    all.extend(more);
    Ok(all)
}

/// Copies a library to the same place. The kernel runs the loader, which has to be executable.
fn copy(tree: &mut Tree, library: &Path) -> Result<(), Error> {
    tree.program(relative(library), read(library)?);
    Ok(())
}

/// Adds the licences, of the program and of the host's files.
fn documents(tree: &mut Tree, bill: &[u8]) -> Result<(), Error> {
    let folder = format!("usr/share/doc/{SERVICE}");
    tree.file(&format!("{folder}/{SERVICE}.cdx.json"), bill);
    for file in LICENCES {
        tree.copy(&format!("{folder}/{file}"), file)?;
    }
    for package in OF_HOST {
        let path = format!("/usr/share/doc/{package}/copyright");
        if Path::new(&path).exists() {
            tree.file(relative(Path::new(&path)), read(Path::new(&path))?);
        }
    }
    Ok(())
}

fn relative(path: &Path) -> &str {
    path.to_str().unwrap_or_default().trim_start_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn the_user_is_that_of_the_image() {
        let image = files::read(Path::new("deploy/Containerfile")).unwrap();
        assert!(image.contains(&format!("\nUSER {USER}:{USER}\n")));
        assert!(passwd().contains("cutover:x:10001:10001:Cutover:/data:/sbin/nologin\n"));
    }
}
