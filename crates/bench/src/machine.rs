/// The machine and the day, as they are named below a table.
pub(crate) fn today() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let cpu = value(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "an unknown processor".into());
    let cores = std::thread::available_parallelism().map_or(1, Into::<usize>::into);
    let memory = gigabytes(&read("/proc/meminfo")).unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "a bench is no use case: it may read the clock")]
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    format!("{cpu}, {cores} cores, {memory} GB ({})", now.format("%Y-%m-%d"))
}

fn gigabytes(meminfo: &str) -> Option<u64> {
    let kilobytes: u64 = value(meminfo, "MemTotal")?.trim_end_matches("kB").trim().parse().ok()?;
    Some((kilobytes + (1 << 19)) >> 20)
}

/// Returns the value after a name and a colon.
fn value(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_described_by_proc_files() {
        let cpuinfo = "processor\t: 0\nmodel name\t: A CPU @ 2 GHz\nmodel name\t: B\n";
        assert_eq!(value(cpuinfo, "model name").unwrap(), "A CPU @ 2 GHz");
        assert_eq!(gigabytes("MemTotal:       24689052 kB\nMemFree: 1 kB"), Some(24));
    }
}
