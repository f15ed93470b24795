use procfs::WithCurrentSystemInfo as _;
use procfs::process::Process;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use std::fmt;
use std::time::Duration;

/// Collects what the operating system counts for this process, under the names that Prometheus's own clients use.
/// A value that cannot be read is left out.
#[derive(Debug)]
pub(super) struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Ok(process) = Process::myself() else { return Ok(()) };
        let mut gauge = |name, help, value: u64| {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
        };
        if let Ok(open) = process.fd_count() {
            gauge("process_open_fds", "Open file descriptors", open as u64)?;
        }
        let limit = process.limits().map(|limits| limits.max_open_files.soft_limit);
        if let Ok(procfs::process::LimitValue::Value(limit)) = limit {
            gauge("process_max_fds", "Maximum number of open file descriptors", limit)?;
        }
        let Ok(stat) = process.stat() else { return Ok(()) };
        gauge("process_resident_memory_bytes", "Resident memory", stat.rss_bytes().get())?;
        gauge("process_virtual_memory_bytes", "Virtual memory", stat.vsize)?;
        gauge("process_threads", "Threads", u64::try_from(stat.num_threads).unwrap_or_default())?;
        let ticks = procfs::ticks_per_second();
        if let Ok(booted_at) = procfs::boot_time_secs() {
            let started_at = booted_at + stat.starttime / ticks;
            gauge("process_start_time_seconds", "Start of the process, since 1970", started_at)?;
        }
        let used = Duration::from_millis((stat.utime + stat.stime) * 1_000 / ticks);
        let used = ConstCounter::new(used.as_secs_f64());
        let help = "Processor time used, by the program and by the system for it";
        used.encode(encoder.encode_descriptor("process_cpu_seconds", help, None, MetricType::Counter)?)
    }
}
