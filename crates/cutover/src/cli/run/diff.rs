//! The comparison of two runs. With `--all` the numbers are printed as they are read, in constant memory.

use crate::error::Error;
use crate::output::{Answer, Output, document, listing, plain};
use cutover_app::App;
use cutover_app::operator::{AccountGroup, CodeDiff, Difference, Differing, RunDiff};
use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use serde::Serialize;
use std::io::{self, Write};

use super::shown::ShownTotals;

#[derive(Debug, Serialize)]
struct Group {
    count: u64,
    examples: Vec<String>,
}

/// An account that was changed, and the paths at which it was; null if they are not known.
#[derive(Debug, Serialize)]
struct Changed {
    external_account_number: String,
    attrs: Option<Vec<&'static str>>,
}

impl Changed {
    fn line(&self) -> String {
        let attrs = self.attrs.as_ref().map_or_else(|| "not known".to_owned(), |attrs| attrs.join(", "));
        format!("{}: {attrs}", plain(&self.external_account_number))
    }
}

impl From<&Differing> for Changed {
    fn from(differing: &Differing) -> Self {
        Self { external_account_number: differing.number.clone(), attrs: differing.paths.clone() }
    }
}

/// A path at which accounts were changed.
#[derive(Debug, Serialize)]
struct ChangedPath {
    attr: &'static str,
    count: u64,
}

#[derive(Debug, Serialize)]
struct Code {
    code: String,
    attr: Option<String>,
    a: u64,
    b: u64,
}

#[derive(Debug, Serialize)]
struct Figure<T, D> {
    a: T,
    b: T,
    difference: D,
}

#[derive(Debug, Serialize)]
struct Figures {
    accounts: Figure<u64, i64>,
    ledger_balance: Figure<String, String>,
    readings: Figure<u64, i64>,
    transactions: Figure<u64, i64>,
    documents: Figure<u64, i64>,
}

impl Figures {
    fn of([a, b]: [Totals; 2]) -> Self {
        let count = |of: fn(&Totals) -> u64| {
            let (a, b) = (of(&a), of(&b));
            Figure { a, b, difference: b.cast_signed().wrapping_sub(a.cast_signed()) }
        };
        let balance = |value: Decimal| {
            ShownTotals::from(Totals { ledger_balance: value, ..Totals::default() }).ledger_balance
        };
        let ledger_balance = Figure {
            a: balance(a.ledger_balance),
            b: balance(b.ledger_balance),
            difference: balance(b.ledger_balance - a.ledger_balance),
        };
        Self {
            accounts: count(|totals| totals.accounts),
            ledger_balance,
            readings: count(|totals| totals.readings),
            transactions: count(|totals| totals.transactions),
            documents: count(|totals| totals.documents),
        }
    }
}

#[derive(Debug, Serialize)]
struct Shown {
    new: Group,
    gone: Group,
    changed: Group,
    fixed: Group,
    broken: Group,
    changed_accounts: Vec<Changed>,
    changed_attrs: Vec<ChangedPath>,
    codes: Vec<Code>,
    totals: Figures,
}

impl From<RunDiff> for Shown {
    fn from(diff: RunDiff) -> Self {
        let mut groups = diff.groups;
        let mut group = |of: Difference| {
            let found = groups.iter_mut().find(|(difference, _)| *difference == of);
            let AccountGroup { count, examples } =
                found.map(|(_, group)| std::mem::take(group)).unwrap_or_default();
            Group { count, examples }
        };
        let code = |CodeDiff { cause, a, b }: CodeDiff| Code { code: cause.code, attr: cause.attr, a, b };
        Self {
            new: group(Difference::New),
            gone: group(Difference::Gone),
            changed: group(Difference::Changed),
            fixed: group(Difference::Fixed),
            broken: group(Difference::Broken),
            changed_accounts: diff.changed.iter().map(Changed::from).collect(),
            changed_attrs: diff.paths.into_iter().map(|(attr, count)| ChangedPath { attr, count }).collect(),
            codes: diff.codes.into_iter().map(code).collect(),
            totals: Figures::of(diff.totals),
        }
    }
}

impl Shown {
    fn groups(&self) -> [(Difference, &Group); 5] {
        [
            (Difference::New, &self.new),
            (Difference::Gone, &self.gone),
            (Difference::Changed, &self.changed),
            (Difference::Fixed, &self.fixed),
            (Difference::Broken, &self.broken),
        ]
    }

    /// Returns the lists of errors and of totals.
    fn tables(&self) -> String {
        let mut text = String::new();
        if !self.changed_attrs.is_empty() {
            let row = |path: &ChangedPath| vec![path.attr.to_owned(), path.count.to_string()];
            text += "\n";
            text += &listing(&["CHANGED AT", "ACCOUNTS"], self.changed_attrs.iter().map(row));
            text += "\n";
        }
        if !self.codes.is_empty() {
            let row = |code: &Code| {
                let attr = code.attr.as_deref().map_or_else(|| "-".to_owned(), plain);
                vec![plain(&code.code), attr, code.a.to_string(), code.b.to_string()]
            };
            text += "\n";
            text += &listing(&["ERROR", "AT", "A", "B"], self.codes.iter().map(row));
            text += "\n";
        }
        let of = &self.totals;
        let count = |name: &str, of: &Figure<u64, i64>| {
            vec![name.to_owned(), of.a.to_string(), of.b.to_string(), of.difference.to_string()]
        };
        let balance = vec![
            "ledger balance".to_owned(),
            of.ledger_balance.a.clone(),
            of.ledger_balance.b.clone(),
            of.ledger_balance.difference.clone(),
        ];
        let rows = [
            count("accounts", &of.accounts),
            balance,
            count("readings", &of.readings),
            count("transactions", &of.transactions),
            count("documents", &of.documents),
        ];
        text + "\n" + listing(&["TOTAL OF PASSED ACCOUNTS", "A", "B", "DIFFERENCE"], rows).as_str()
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let group = |(difference, group): (Difference, &Group)| {
            let more = if group.count > group.examples.len() as u64 { ", …" } else { "" };
            let examples = match group.count {
                0 => String::new(),
                _ => format!(" ({}{more})", plain(&group.examples.join(", "))),
            };
            format!("{:<8} {}{examples}\n", difference.to_string(), group.count)
        };
        let groups: String = self.groups().into_iter().map(group).collect();
        let changed = self.changed_accounts.iter().map(|changed| format!("  {}\n", changed.line()));
        let changed = changed.collect::<String>();
        let heading = if changed.is_empty() { "" } else { "\nchanged accounts\n" };
        groups + heading + &changed + self.tables().as_str()
    }
}

pub(super) fn run(app: &App, output: Output, runs: (&str, &str, &str), all: bool) -> Result<(), Error> {
    let (supplier, a, b) = runs;
    let shown = Shown::from(app.as_command().diff_runs(supplier, a, b)?);
    if !all {
        return Ok(output.answer(&shown)?);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match output.is_json() {
        true => print_json(app, &mut out, runs, &shown)?,
        false => print_text(app, &mut out, runs, &shown)?,
    }
    Ok(out.flush()?)
}

fn print_json(app: &App, out: &mut dyn Write, runs: (&str, &str, &str), shown: &Shown) -> Result<(), Error> {
    writeln!(out, "{{")?;
    for (difference, group) in shown.groups() {
        write!(out, "  \"{difference}\": {{\n    \"count\": {},\n    \"examples\": [", group.count)?;
        let mut separator = "\n";
        app.as_command().each_difference(runs, difference, &mut |one| {
            let number = serde_json::to_string(&one.number).map_err(io::Error::other)?;
            write!(out, "{separator}      {number}")?;
            separator = ",\n";
            Ok::<_, Error>(())
        })?;
        writeln!(out, "{}]\n  }},", if separator == "\n" { "" } else { "\n    " })?;
    }
    write!(out, "  \"changed_accounts\": [")?;
    let mut separator = "\n";
    app.as_command().each_difference(runs, Difference::Changed, &mut |one| {
        let changed = serde_json::to_string(&Changed::from(one)).map_err(io::Error::other)?;
        write!(out, "{separator}    {changed}")?;
        separator = ",\n";
        Ok::<_, Error>(())
    })?;
    writeln!(out, "{}],", if separator == "\n" { "" } else { "\n  " })?;
    writeln!(out, "  \"changed_attrs\": {},", document(&shown.changed_attrs)?)?;
    writeln!(out, "  \"codes\": {},", document(&shown.codes)?)?;
    writeln!(out, "  \"totals\": {}\n}}", document(&shown.totals)?)?;
    Ok(())
}

fn print_text(app: &App, out: &mut dyn Write, runs: (&str, &str, &str), shown: &Shown) -> Result<(), Error> {
    for (difference, group) in shown.groups() {
        writeln!(out, "{difference} {}", group.count)?;
        app.as_command().each_difference(runs, difference, &mut |one| {
            match difference {
                Difference::Changed => writeln!(out, "  {}", Changed::from(one).line())?,
                _ => writeln!(out, "  {}", plain(&one.number))?,
            }
            Ok::<_, Error>(())
        })?;
    }
    writeln!(out, "{}", shown.tables())?;
    Ok(())
}
