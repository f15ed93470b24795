//! Sets options of the linker.

use std::env;
use std::process::Command;

/// The first version of glibc that supports packed relative relocations.
const PACKED: (u32, u32) = (2, 36);

/// Packs relative relocations: they are read at each start, and take some 50 KB instead of 2 MB, a tenth of the memory of
/// an idle server. The load address stays random.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_native() && glibc().is_some_and(|version| version >= PACKED) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns true if the program is built for this system, whose glibc is known.
fn is_native() -> bool {
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    is_gnu
        && env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("HOST") == env::var("TARGET")
}

/// The version of glibc on this system.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = version.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
