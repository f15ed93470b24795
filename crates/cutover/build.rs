//! Tells the linker how the program is to be linked.

use std::env;
use std::process::Command;

/// The first glibc that takes relative relocations packed.
const PACKED: (u32, u32) = (2, 36);

/// Packed, the relocations of the service are some 50 KB, which are read at each start, instead of 2 MB: a tenth of
/// the memory of an idle server. The place of the program in memory stays random.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if is_native() && glibc().is_some_and(|version| version >= PACKED) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the program is for a system like this one: of another it is not known what it takes.
fn is_native() -> bool {
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    is_gnu
        && env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("HOST") == env::var("TARGET")
}

/// The version of this system's glibc.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let version = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = version.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
