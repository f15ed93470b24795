//! The files of a release: `cargo xtask package`.
//!
//! Equal sources, tools and libraries of the build host make equal files. Decision 0035 says what they are.

mod archive;
mod bill;
mod debian;
mod graph;
pub(crate) mod libraries;
mod provenance;
mod release;
pub(crate) mod signature;
mod sums;
mod tarball;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::error::Error;
use crate::{cargo, files};
use release::Release;

pub(crate) use release::Programs;
pub(crate) use sums::NAME as SUMS;

/// The programs that are packaged, each by the name of its package.
pub(crate) const SERVICE: &str = "cutover";
pub(crate) const CLIENT: &str = "cutover-client";

/// Cargo features of a packaged program, beside its default ones.
fn features(program: &str) -> &'static str {
    if program == SERVICE || program == CLIENT { "parquet" } else { "" }
}

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Cargo profile of the programs
    #[arg(long, value_name = "NAME", default_value = "release")]
    profile: String,
    /// Sign SHA256SUMS with this key of SSH, by ssh-keygen
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
}

/// The files of a release by what they are.
pub(crate) struct Made {
    pub(crate) folder: PathBuf,
    pub(crate) version: String,
    pub(crate) service_tarball: String,
    pub(crate) client_tarball: String,
    pub(crate) debian: String,
    pub(crate) service_bill: String,
    pub(crate) client_bill: String,
    pub(crate) provenance: String,
}

impl Made {
    /// The names of what is made, in the order of [`contents`].
    fn names(&self) -> [&str; 5] {
        [&self.service_tarball, &self.client_tarball, &self.debian, &self.service_bill, &self.client_bill]
    }
}

/// Writes the files into `target/package`, in place of those of the last run.
pub(crate) fn command(args: &Args) -> Result<ExitCode, Error> {
    let made = make(Programs::build(&args.profile)?, &cargo::root().join("target/package"))?;
    for name in made.names().into_iter().chain([made.provenance.as_str(), SUMS]) {
        println!("{}", made.folder.join(name).display());
    }
    if let Some(key) = &args.sign {
        println!("{}", signature::sign(&made.folder, key)?.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files of a release of these programs into an emptied folder.
pub(crate) fn make(programs: Programs, folder: &Path) -> Result<Made, Error> {
    let release = Release::of(programs)?;
    files::empty_folder(folder)?;
    let made = named(&release, folder);
    let contents = contents(&release)?;
    let mut files: Vec<(&str, &[u8])> =
        made.names().into_iter().zip(contents.iter().map(Vec::as_slice)).collect();
    let provenance = provenance::of(&release, &files)?;
    files.push((&made.provenance, &provenance));
    for (name, bytes) in &files {
        write(&folder.join(name), bytes)?;
    }
    write(&folder.join(SUMS), sums::of(files).as_bytes())?;
    Ok(made)
}

/// The bytes of the files, in the order of [`Made::names`].
fn contents(release: &Release) -> Result<[Vec<u8>; 5], Error> {
    let (service_bill, client_bill) = (bill::of(release, SERVICE)?, bill::of(release, CLIENT)?);
    Ok([
        tarball::service(release, &service_bill)?,
        tarball::client(release, &client_bill)?,
        debian::package(release, &service_bill)?,
        service_bill,
        client_bill,
    ])
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(Error::file("write", path))
}

fn named(release: &Release, folder: &Path) -> Made {
    let Release { version, arch, .. } = release;
    Made {
        folder: folder.to_owned(),
        version: version.clone(),
        service_tarball: format!("{}.tar.gz", release.top(SERVICE)),
        client_tarball: format!("{}.tar.gz", release.top(CLIENT)),
        debian: format!("{SERVICE}_{}_{arch}.deb", debian::version(version)),
        service_bill: format!("{SERVICE}-{version}.cdx.json"),
        client_bill: format!("{CLIENT}-{version}.cdx.json"),
        provenance: format!("{SERVICE}-{version}-{arch}.intoto.json"),
    }
}
