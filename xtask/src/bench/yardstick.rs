use crate::cargo;
use crate::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kit of yardsticks: a folder with a `run` program, and its working files.
pub(super) struct Kit {
    folder: PathBuf,
    work: PathBuf,
}

impl Kit {
    /// The kit in a folder, set up.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let folder = cargo::root().join(folder);
        if !folder.join("run").exists() {
            let text = format!(
                "there are no yardsticks in {}: name their folder with --yardsticks",
                folder.display()
            );
            return Err(Error::Bench(text));
        }
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let default = home.join(".cache/cutover-bench");
        let work = std::env::var_os("CUTOVER_BENCH_DIR").map_or(default, PathBuf::from);
        let kit = Self { folder, work };
        kit.run(["setup"])?;
        kit.run(["data"])?;
        Ok(kit)
    }

    /// A payload file of the kit.
    pub(super) fn data(&self, name: &str) -> PathBuf {
        self.work.join("data").join(format!("{name}.ndjson"))
    }

    /// So many accounts of size M, each with a number of its own, in a file of the scratch folder.
    pub(super) fn accounts(&self, count: usize) -> Result<PathBuf, Error> {
        let file = cargo::scratch().join(format!("accounts-{count}.ndjson"));
        std::fs::create_dir_all(cargo::scratch()).map_err(|e| Error::Bench(e.to_string()))?;
        let out = file.to_string_lossy().into_owned();
        self.run(["gen", "--bulk", &count.to_string(), "--size", "M", "--out", &out])?;
        Ok(file)
    }

    /// Where the kit keeps its Rust programs.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.work.join("target/release").join(name)
    }

    /// The Python that the kit has set up.
    pub(super) fn python(&self) -> PathBuf {
        self.work.join("venv/bin/python")
    }

    /// A file of the kit itself.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs a command of the kit to its end; its output goes to the terminal.
    pub(super) fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        let mut command = cargo::command(self.folder.join("run"));
        command.args(args);
        let shown = format!("{command:?}");
        if cargo::succeeds(command)? { Ok(()) } else { Err(Error::Bench(format!("{shown} failed"))) }
    }
}

/// A command on the first core only, as the kit runs its own.
pub(super) fn pinned(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = cargo::command("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}
