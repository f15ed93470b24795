//! The signature of a release: `SHA256SUMS`, signed by `ssh-keygen` with a key of whoever publishes it.

use std::path::{Path, PathBuf};

use super::SUMS;
use crate::cargo;
use crate::error::Error;

/// The purpose of the signature: one for another purpose does not verify.
pub(crate) const NAMESPACE: &str = "cutover-release";

/// Signs the checksums in a folder with a private key, or with the public key of one that an agent or a token holds.
/// Returns the file of the signature.
pub(crate) fn sign(folder: &Path, key: &Path) -> Result<PathBuf, Error> {
    let sums = folder.join(SUMS);
    let mut sign = cargo::command("ssh-keygen");
    sign.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key).arg(&sums);
    if cargo::succeeds(sign)? {
        Ok(folder.join(format!("{SUMS}.sig")))
    } else {
        Err(Error::Package(format!("{} cannot be signed with {}", sums.display(), key.display())))
    }
}
