//! A group of processes with a memory limit, for which the right to create one is needed.

use std::fs;
use std::path::{Path, PathBuf};

/// A control group. Its processes must have ended before it is dropped.
pub(crate) struct Cgroup(PathBuf);

impl Cgroup {
    /// Moves a process into a new group; `None` if that is not allowed here. Memory that the process has already is not
    /// counted.
    pub(crate) fn around(pid: u32, bytes: u64) -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup");
        let version_1 = root.join("memory");
        let (hierarchy, file) =
            if version_1.is_dir() { (&*version_1, "memory.limit_in_bytes") } else { (root, "memory.max") };
        let group = Self(hierarchy.join(format!("cutover-test-{pid}")));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join(file), bytes.to_string()).ok()?;
        fs::write(group.0.join("cgroup.procs"), pid.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
