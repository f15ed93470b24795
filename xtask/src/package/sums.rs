//! Checksums in the format of `sha256sum`.

use sha2::{Digest, Sha256};

/// Name of the file.
pub(crate) const NAME: &str = "SHA256SUMS";

/// One line for each file, sorted by name.
pub(super) fn of(mut files: Vec<(&str, &[u8])>) -> String {
    files.sort();
    files.into_iter().map(|(name, bytes)| format!("{}  {name}\n", sum(bytes))).collect()
}

/// The SHA-256 of these bytes in hexadecimal digits.
pub(super) fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sorted_and_like_those_of_sha256sum() {
        let expected = "\
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a
ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b
";
        assert_eq!(of(vec![("b", b"abc"), ("a", b"")]), expected);
    }
}
