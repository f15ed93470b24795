use serde::{Deserialize, Serialize};
use std::fmt;

/// The machine that was measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_gb: u64,
    pub(crate) kernel: String,
}

impl Machine {
    /// Describes this machine as Linux reports it.
    pub(crate) fn this() -> Self {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        Self {
            cpu: value(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            memory_gb: memory_gb(&read("/proc/meminfo")).unwrap_or_default(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, memory_gb, kernel } = self;
        write!(f, "{cpu}, {cores} cores, {memory_gb} GB, Linux {kernel}")
    }
}

fn memory_gb(meminfo: &str) -> Option<u64> {
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
        assert_eq!(memory_gb("MemTotal:       24689052 kB\nMemFree: 1 kB"), Some(24));
        assert!(Machine::this().cores > 0);
    }
}
