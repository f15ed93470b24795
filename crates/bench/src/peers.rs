//! The peers and the limits of `bench/`: their installation, and how they are started.

use crate::error::Error;
use crate::server::Server;
use crate::{model, program};
use std::path::PathBuf;
use std::process::Command;

/// A server to compare with.
pub(crate) struct Peer {
    pub(crate) what: &'static str,
    /// Smallest ratio that meets the goal.
    pub(crate) goal: f64,
    command: fn() -> Result<Command, Error>,
}

pub(crate) const PEERS: [Peer; 4] = [
    Peer { what: "the limit `full`", goal: 2.2, command: || limit("serve") },
    Peer { what: "Fastify with ajv", goal: 5.4, command: fastify },
    Peer { what: "FastAPI with pydantic on the raw body", goal: 7.5, command: fast_api },
    Peer { what: "Django REST framework", goal: 165.0, command: django_rest },
];

impl Peer {
    /// Starts the peer with one worker on the first core.
    pub(crate) fn start(&self) -> Result<Server, Error> {
        let mut command = (self.command)()?;
        command.env("BENCH_MODEL", model::file()?).env("PYTHONDONTWRITEBYTECODE", "1");
        Server::start(command, &program::folder())
    }
}

fn django_rest() -> Result<Command, Error> {
    let mut command = program::on_first_core(python("gunicorn")?);
    command.args(["--workers", "1", "--bind", "127.0.0.1:0", "--chdir", "bench/peers", "django_rest"]);
    Ok(command)
}

fn fast_api() -> Result<Command, Error> {
    let mut command = program::on_first_core(python("uvicorn")?);
    command.args(["--port", "0", "--no-access-log", "--app-dir", "bench/peers", "fast_api:app"]);
    Ok(command)
}

fn fastify() -> Result<Command, Error> {
    program::require("node", "nodejs")?;
    let mut command = program::on_first_core("node");
    command.arg("bench/peers/fastify.js").env("NODE_PATH", installed("node", NODE)?.join("node_modules"));
    Ok(command)
}

/// The program of `bench/limits`, built for the schema.
pub(crate) fn limit(mode: &str) -> Result<Command, Error> {
    let folder = program::folder().join("limits");
    let mut build = program::cargo(["build", "--quiet", "--release", "--locked"]);
    build.args(["--manifest-path", "bench/limits/Cargo.toml", "--target-dir"]).arg(&folder);
    build.env("BENCH_MODEL", model::file()?);
    program::succeeds(build)?;
    let mut command = program::on_first_core(folder.join("release/full"));
    command.arg(mode);
    Ok(command)
}

/// Pinned versions, relative to the root.
const PYTHON: &str = "bench/peers/requirements.txt";
const NODE: &str = "bench/peers/package-lock.json";

/// A program of the peers' virtual environment.
pub(crate) fn python(name: &str) -> Result<PathBuf, Error> {
    Ok(installed("python", PYTHON)?.join("bin").join(name))
}

/// The folder that was installed from a file with pinned versions; a copy of the file is there.
fn installed(name: &str, pinned: &str) -> Result<PathBuf, Error> {
    let folder = program::folder().join(name);
    let read = |file: PathBuf| std::fs::read(file).ok();
    if read(folder.join("installed")).is_some_and(|copy| Some(copy) == read(program::root().join(pinned))) {
        return Ok(folder);
    }
    Err(Error::Missing(format!("what {pinned} names is not installed: cargo xtask bench --install")))
}

/// Installs what is missing from the registries of Python and of Node.
pub(crate) fn install() -> Result<(), Error> {
    install_as("python", PYTHON, |folder| {
        let mut make = program::command("python3");
        make.args(["-m", "venv", "--clear"]).arg(folder);
        let mut fill = program::command(folder.join("bin/python3"));
        fill.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]);
        fill.args(["--requirement", PYTHON]);
        vec![make, fill]
    })?;
    install_as("node", NODE, |folder| {
        let mut copy = program::command("cp");
        copy.args(["bench/peers/package.json", NODE]).arg(folder);
        let mut fill = program::command("npm");
        fill.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder);
        vec![copy, fill]
    })
}

fn install_as(
    name: &str,
    pinned: &str,
    commands: impl Fn(&std::path::Path) -> Vec<Command>,
) -> Result<(), Error> {
    if installed(name, pinned).is_ok() {
        return Ok(());
    }
    let folder = program::folder().join(name);
    std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    println!("installing {pinned} …");
    commands(&folder).into_iter().try_for_each(program::succeeds)?;
    let (from, to) = (program::root().join(pinned), folder.join("installed"));
    std::fs::copy(&from, &to).map(drop).map_err(Error::file("copy", &from))
}
