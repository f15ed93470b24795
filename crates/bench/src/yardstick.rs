use crate::error::Error;
use crate::program;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kit of yardsticks: a folder with a program `run`, and its working files.
pub(crate) struct Kit {
    folder: PathBuf,
    work: PathBuf,
}

impl Kit {
    /// Opens the kit in a folder and sets it up.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let kit = Self::find(folder)?;
        kit.run(["setup"])?;
        kit.run(["data"])?;
        Ok(kit)
    }

    /// Opens the kit in a folder without setup, which is enough for its payload generator.
    pub(crate) fn find(folder: &Path) -> Result<Self, Error> {
        let folder = program::root().join(folder);
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
        Ok(Self { folder, work })
    }

    /// A payload file of the kit.
    pub(crate) fn data(&self, name: &str) -> PathBuf {
        self.work.join("data").join(format!("{name}.ndjson"))
    }

    /// Generates accounts of size M, a line each, and returns their text.
    pub(crate) fn read_accounts(&self, count: usize) -> Result<String, Error> {
        self.read_accounts_of("M", count)
    }

    /// Generates accounts of a size, a line each, and returns their text.
    pub(crate) fn read_accounts_of(&self, size: &str, count: usize) -> Result<String, Error> {
        let file = self.accounts_of(size, count)?;
        std::fs::read_to_string(&file).map_err(Error::file("read", &file))
    }

    /// Generates accounts of size M, each with a number of its own, in a file of the scratch folder.
    pub(crate) fn accounts(&self, count: usize) -> Result<PathBuf, Error> {
        self.accounts_of("M", count)
    }

    fn accounts_of(&self, size: &str, count: usize) -> Result<PathBuf, Error> {
        let file = program::scratch().join(format!("accounts-{size}-{count}.ndjson"));
        let out = file.to_string_lossy().into_owned();
        self.run(["gen", "--bulk", &count.to_string(), "--size", size, "--out", &out])?;
        Ok(file)
    }

    /// A Rust program of the kit.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.work.join("target/release").join(name)
    }

    /// The Python that the kit has set up.
    pub(crate) fn python(&self) -> PathBuf {
        self.work.join("venv/bin/python")
    }

    /// A file of the kit itself.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs a command of the kit, with its output to a log file.
    pub(crate) fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        std::fs::create_dir_all(program::scratch()).map_err(Error::file("create", &program::scratch()))?;
        let log = program::scratch().join("yardsticks.log");
        let file = || std::fs::File::options().create(true).append(true).open(&log);
        let open = || Ok::<_, std::io::Error>((file()?, file()?));
        let (out, err) = open().map_err(Error::file("open", &log))?;
        let mut command = program::command(self.folder.join("run"));
        command.args(args).stdout(out).stderr(err);
        let shown = format!("{command:?}");
        if program::succeeds(command)? {
            return Ok(());
        }
        Err(Error::Bench(format!("{shown} failed: see {}", log.display())))
    }

    /// Runs a measuring command and returns the result that the kit stores.
    pub(crate) fn measure(&self, name: &str, args: &[&str]) -> Result<Value, Error> {
        let before = self.results(name)?;
        self.run(args.iter().copied())?;
        let new = self.results(name)?.into_iter().find(|file| !before.contains(file));
        let new = new.ok_or_else(|| Error::Bench(format!("the yardsticks kept no result of {name}")))?;
        crate::record::read(&new)
    }

    /// Files with the results of a command.
    fn results(&self, name: &str) -> Result<Vec<PathBuf>, Error> {
        let folder = self.work.join("results");
        let entries = match std::fs::read_dir(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(Error::file("read", &folder))?,
        };
        let is_of = |file: &PathBuf| {
            let stem = file.file_name().map(|name| name.to_string_lossy().into_owned());
            stem.is_some_and(|stem| stem.starts_with(&format!("{name}-")))
        };
        Ok(entries.flatten().map(|entry| entry.path()).filter(is_of).collect())
    }
}

/// A command pinned to the first core, like the kit's own.
pub(crate) fn pinned(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = program::command("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}
