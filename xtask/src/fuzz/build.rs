//! Builds the fuzzing program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;
use crate::error::Error;

/// Compiler flags that count coverage and trace comparisons, as cargo-fuzz sets them.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Limits in seconds and in MiB, beyond which an input is a finding.
const LIMITS: [&str; 2] = ["-timeout=20", "-rss_limit_mb=2048"];

/// A program that fuzzes.
pub(super) struct Program {
    file: PathBuf,
    is_guided: bool,
}

impl Program {
    /// Builds it; `None` if that fails, which cargo reports.
    pub(super) fn build(unguided: bool) -> Result<Option<Self>, Error> {
        let host = if unguided { None } else { has_cxx().then(cargo::host_triple).transpose()? };
        if host.is_none() {
            println!("Not guided by coverage{}", if unguided { "" } else { ": no C++ compiler found" });
        }
        let folder = cargo::scratch().join("fuzz/build");
        let mut command = cargo::cargo(["build", "--package", "cutover-fuzz", "--profile", "fuzz"]);
        command.arg("--target-dir").arg(&folder);
        let file = match &host {
            Some(host) => {
                // With a target, the flags do not apply to build scripts and macros.
                command.args(["--bin", "guided", "--features", "guided", "--target", host]);
                command.env("RUSTFLAGS", COVERAGE);
                folder.join(host).join("fuzz/guided")
            }
            None => {
                command.args(["--bin", "cutover-fuzz"]);
                folder.join("fuzz/cutover-fuzz")
            }
        };
        Ok(cargo::succeeds(command)?.then_some(Self { file, is_guided: host.is_some() }))
    }

    /// The command that fuzzes a target for some time. `finding` is the prefix of paths of findings.
    pub(super) fn command(&self, target: &str, seconds: u64, corpus: &Path, finding: &Path) -> Command {
        let mut command = cargo::command(&self.file);
        if self.is_guided {
            command.env("CUTOVER_FUZZ_TARGET", target).env("CUTOVER_FUZZ_CORPUS", corpus);
            command
                .args(LIMITS)
                .args(["-print_final_stats=1".to_owned(), format!("-max_total_time={seconds}")]);
            command.arg(format!("-artifact_prefix={}", finding.display())).arg(corpus);
        } else {
            command.args(["--target", target, "--seconds", &seconds.to_string()]);
            command.args(["--seed", &chance().to_string(), "--finding"]).arg(finding);
        }
        command
    }
}

/// Returns true if there is the C++ compiler that the crate `cc` would call.
fn has_cxx() -> bool {
    let mut compiler = cargo::command(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    compiler.arg("--version");
    cargo::output(compiler).is_some()
}

/// A number that differs on each call.
fn chance() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
