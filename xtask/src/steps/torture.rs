//! `cargo xtask torture` repeats long tests; a short form of it is one of the steps.

use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::builder::PossibleValuesParser;

use super::database::Database;
use super::{Done, Outcome, Tools, passed, report};
use crate::cargo;
use crate::error::Error;

/// Parts to repeat, and numbers of repetitions.
#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// Run only these parts, in the usual order
    #[arg(long, value_name = "PART,…", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// List the parts and run none
    #[arg(long)]
    list: bool,
    /// The short form of the step of `check`, within three minutes
    #[arg(long)]
    short: bool,
    /// Number of seeds of the simulation; on PostgreSQL a twentieth of them
    #[arg(long, default_value_t = 20_000)]
    seeds: u64,
    /// First seed: the tests run those before
    #[arg(long, default_value_t = 300, value_name = "SEED")]
    from: u64,
    /// Start no further seed after this number of seconds, on each database
    #[arg(long)]
    seconds: Option<u64>,
    /// Number of repetitions of the end-to-end tests
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Number of generated accounts that have to be read as they were sent, on each database, and of accounts in
    /// the largest export
    #[arg(long, default_value_t = 100_000)]
    accounts: u64,
}

impl Args {
    /// Reduces the numbers for the step.
    fn shortened(self) -> Self {
        Self { seeds: u64::MAX / 1_000_000, seconds: Some(20), rounds: 1, ..self }
    }
}

/// A part of the torture.
struct Part {
    name: &'static str,
    /// Description for `--list` and the heading.
    what: &'static str,
    /// True if the short form includes it.
    is_short: bool,
    /// Commands, run one after another.
    commands: fn(&Args) -> Vec<Command>,
}

/// Every part.
const PARTS: &[Part] = &[
    Part {
        name: "simulation",
        what: "seeds of the simulation that the tests do not run",
        is_short: true,
        commands: simulation,
    },
    Part {
        name: "storm",
        what: "a storm of creates during which the server is killed",
        is_short: false,
        commands: |args| rounds(args, "storm::"),
    },
    Part {
        name: "rolling",
        what: "processes replaced under load, and an upgrade",
        is_short: false,
        commands: |args| rounds(args, "rolling::"),
    },
    Part {
        name: "mass",
        what: "generated accounts are read as they were sent",
        is_short: false,
        commands: mass,
    },
    Part {
        name: "export",
        what: "an export has every account, with its digits and totals",
        is_short: false,
        commands: export,
    },
];

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(PARTS.iter().map(|part| part.name))
}

/// `cargo xtask torture`.
pub(crate) fn command(args: &Args, strict: bool) -> Result<ExitCode, Error> {
    let chosen = chosen(args);
    if args.list {
        print!("{}", report::rows(chosen.iter().map(|part| (part.name, part.what))));
        return Ok(ExitCode::SUCCESS);
    }
    let args = if args.short { args.clone().shortened() } else { args.clone() };
    let done = run(&chosen, &args, if strict { Tools::Install } else { Tools::AsTheyAre })?;
    print!("\n{}", report::table(&done, strict));
    Ok(if passed(&done, strict) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `cargo xtask check`.
pub(super) fn step(tools: Tools) -> Result<Outcome, Error> {
    let args = Args {
        only: Vec::new(),
        list: false,
        short: true,
        seeds: 0,
        from: 300,
        seconds: None,
        rounds: 1,
        accounts: 0,
    };
    let done = run(&chosen(&args), &args.shortened(), tools)?;
    let worst = done.into_iter().map(|done| done.outcome).reduce(|worst, next| match worst {
        Outcome::Ok(_) => next,
        worst => worst,
    });
    Ok(worst.unwrap_or_else(|| Outcome::Ok(String::new())))
}

fn chosen(args: &Args) -> Vec<&'static Part> {
    let wanted = |part: &&Part| match args.only.as_slice() {
        [] => part.is_short || !args.short,
        only => only.iter().any(|name| name == part.name),
    };
    PARTS.iter().filter(wanted).collect()
}

fn run(parts: &[&Part], args: &Args, tools: Tools) -> Result<Vec<Done>, Error> {
    let database = match Database::start(tools) {
        Ok(database) => database,
        Err(e) => {
            let outcome = Outcome::Failed(format!("PostgreSQL does not start: {e}"));
            return Ok(vec![Done { name: "database", outcome, took: Default::default() }]);
        }
    };
    parts.iter().map(|part| run_part(part, args, &database)).collect()
}

fn run_part(part: &Part, args: &Args, database: &Database) -> Result<Done, Error> {
    println!("\n-- {}: {}", part.name, part.what);
    let begun = Instant::now();
    let mut outcome = match database.not_run() {
        Some(missing) => Outcome::NotRun(missing),
        None => Outcome::Ok(String::new()),
    };
    for mut command in (part.commands)(args) {
        command.envs(database.variable());
        if !cargo::succeeds(command)? {
            outcome = Outcome::Failed("see above".to_owned());
            break;
        }
    }
    Ok(Done { name: part.name, outcome, took: begun.elapsed() })
}

/// Runs the tests of all crates whose names begin like this: selected alone, a crate would be built again
/// with its own set of features.
fn tests(name: &str) -> Command {
    cargo::cargo(["test", "--workspace", "--test", "it", name])
}

fn simulation(args: &Args) -> Vec<Command> {
    let mut command = tests("simulated::on");
    command
        .env("CUTOVER_SIM_SEEDS", args.seeds.to_string())
        .env("CUTOVER_SIM_FROM", args.from.to_string())
        .env("CUTOVER_SIM_SECONDS", args.seconds.map(|seconds| seconds.to_string()).unwrap_or_default())
        .env_remove("CUTOVER_SIM_SEED");
    vec![command]
}

fn rounds(args: &Args, name: &str) -> Vec<Command> {
    (0..args.rounds).map(|_| tests(name)).collect()
}

fn mass(args: &Args) -> Vec<Command> {
    let mut command = tests("mass::");
    command.env("CUTOVER_MASS_ACCOUNTS", args.accounts.to_string());
    vec![command]
}

fn export(args: &Args) -> Vec<Command> {
    let mut command = tests("export::an_export_has_every_account");
    command.env("CUTOVER_EXPORT_ACCOUNTS", args.accounts.to_string());
    vec![command]
}

#[cfg(test)]
mod unit {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn names_of(line: &[&str]) -> Vec<&'static str> {
        let line = Line::parse_from(["torture"].iter().chain(line));
        chosen(&line.args).iter().map(|part| part.name).collect()
    }

    #[test]
    fn the_short_form_leaves_parts_out_unless_they_are_asked_for() {
        assert_eq!(names_of(&[]), ["simulation", "storm", "rolling", "mass", "export"]);
        assert_eq!(names_of(&["--short"]), ["simulation"]);
        assert_eq!(names_of(&["--short", "--only", "storm"]), ["storm"]);
    }

    #[test]
    fn arguments_are_passed_on() {
        let line = Line::parse_from(["torture", "--seeds", "7", "--from", "3", "--rounds", "2"]);
        let command = &simulation(&line.args)[0];
        let variable = |name: &str| {
            let found = command.get_envs().find(|(of, _)| *of == name);
            found.and_then(|(_, value)| value).map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(variable("CUTOVER_SIM_SEEDS").as_deref(), Some("7"));
        assert_eq!(variable("CUTOVER_SIM_FROM").as_deref(), Some("3"));
        assert_eq!(variable("CUTOVER_SIM_SECONDS").as_deref(), Some(""));
        assert_eq!(rounds(&line.args, "storm::").len(), 2);
        for command in [&mass(&line.args)[0], &export(&line.args)[0]] {
            assert!(command.get_envs().any(|(_, value)| value.is_some_and(|value| value == "100000")));
        }
    }
}
