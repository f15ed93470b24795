use rustix::fs::statvfs;
use std::path::Path;

/// A file system in memory that Linux usually has.
const MEMORY: &str = "/dev/shm";

/// Free bytes that all tests together need there.
const NEEDED: u64 = 2 << 30;

/// Returns a folder in memory that has room for the tests' files. Databases are created and dropped there several times
/// as fast as on a disk. Containers often have little room there.
pub fn memory_folder() -> Option<&'static Path> {
    let found = statvfs(MEMORY).ok()?;
    (found.f_bavail.saturating_mul(found.f_frsize) >= NEEDED).then(|| Path::new(MEMORY))
}
