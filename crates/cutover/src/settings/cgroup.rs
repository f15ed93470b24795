//! The memory that the system lets this process use.

use std::path::{Path, PathBuf};

/// The lowest memory limit of the process's cgroup and of those around it; `None` if none has one, or on a system without
/// cgroups.
pub(super) fn memory_limit() -> Option<usize> {
    lowest(Path::new("/sys/fs/cgroup"), &std::fs::read_to_string("/proc/self/cgroup").ok()?)
}

/// `groups` has a line `ID:CONTROLLERS:PATH` for each hierarchy. Version 2 names no controllers.
fn lowest(root: &Path, groups: &str) -> Option<usize> {
    let limits = groups.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (hierarchy, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // In a container the path is that of the host, and the root is the container's own group.
        folders(&hierarchy, path).filter_map(|folder| limit(&folder.join(file))).min()
    });
    limits.min()
}

/// A group and those around it.
fn folders(hierarchy: &Path, path: &str) -> impl Iterator<Item = PathBuf> {
    Path::new(path.trim_start_matches('/')).ancestors().map(|folder| hierarchy.join(folder))
}

/// The limit in a file; `None` for no limit, which version 1 writes as nearly 2^63.
fn limit(file: &Path) -> Option<usize> {
    let bytes = std::fs::read_to_string(file).ok()?.trim().parse().ok()?;
    (bytes < 1 << 60).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], groups: &str) -> Option<usize> {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let file = root.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        lowest(root.path(), groups)
    }

    #[test]
    fn the_lowest_limit_around_the_process_counts() {
        let files = [("a/memory.max", "1000\n"), ("a/b/memory.max", "max\n"), ("a/b/c/memory.max", "2000\n")];
        assert_eq!(found(&files, "0::/a/b/c\n"), Some(1_000));
        assert_eq!(found(&files[1..], "0::/a/b/c\n"), Some(2_000));
        assert_eq!(found(&files[1..2], "0::/a/b/c\n"), None);
    }

    #[test]
    fn version_1_has_a_hierarchy_for_memory() {
        let files = [
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/pod/memory.limit_in_bytes", "268435456\n"),
            ("cpu/pod/memory.limit_in_bytes", "1\n"),
        ];
        let groups = "5:cpu,cpuacct:/pod\n4:memory:/pod/container\n0::/\n";
        assert_eq!(found(&files, groups), Some(256 << 20));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        assert_eq!(found(&[("memory.max", "1000")], "0::/kubepods/pod1/c1\n"), Some(1_000));
        assert_eq!(found(&[], "0::/\nnonsense\n"), None);
    }
}
