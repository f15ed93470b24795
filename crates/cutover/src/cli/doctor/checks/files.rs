use crate::cli::doctor::finding::Finding;
use crate::settings::Settings;

/// Files that a server has open besides connections: the database, the log, its own sockets.
const OTHERS: usize = 256;

/// Checks that a process may open as many files as the server may have connections; `None` if the system does not
/// publish its limit.
pub(super) fn open_files(settings: &Settings) -> Option<Finding> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    Some(compare(soft_limit(&limits)?, settings.values.max_connections))
}

/// Reads the soft limit from the kernel's table.
fn soft_limit(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let soft = line.split_whitespace().next()?;
    if soft == "unlimited" { Some(usize::MAX) } else { soft.parse().ok() }
}

fn compare(limit: usize, connections: usize) -> Finding {
    if limit >= connections.saturating_add(OTHERS) {
        return Finding::ok("open files", format!("enough for {connections} connections"));
    }
    let enough = limit.saturating_sub(OTHERS).max(1);
    Finding::warn(
        "open files",
        format!("a process may open {limit} here, but max-connections is {connections}"),
        format!(
            "raise it where the server runs (ulimit -n, LimitNOFILE=), or set max-connections to {enough}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Health;

    #[test]
    fn the_limit_is_read_from_the_kernels_table() {
        let table = |soft: &str| {
            format!("Limit          Soft Limit  Hard Limit  Units\nMax open files {soft}   524288  files\n")
        };
        assert_eq!(soft_limit(&table("1024")), Some(1024));
        assert_eq!(soft_limit(&table("unlimited")), Some(usize::MAX));
        assert_eq!(soft_limit("Max cpu time unlimited unlimited seconds\n"), None);
    }

    #[test]
    fn a_limit_below_the_connections_is_a_warning() {
        assert_eq!(compare(1024, 25_000).result, Health::Warn);
        assert_eq!(compare(25_256, 25_000).result, Health::Ok);
    }
}
