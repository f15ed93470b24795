//! Whether a request and an import cost the same however much there is: processes, suppliers, readings.

mod cost;
mod place;
mod readings;

use super::Args;
use super::accounts::{numbered, with_readings};
use super::figure::{Figure, Unit};
use super::postgres::Site;
use super::stats::{in_thousands, ratios};
use crate::error::Error;
use cost::{Cost, Costs, Work};
use place::{Database, Place};
use serde_json::{Value, json};

/// What the database holds before anything is measured.
struct Size {
    id: &'static str,
    processes: u64,
    suppliers: u64,
    /// The smaller one that it is held against.
    base: Option<usize>,
}

const SIZES: [Size; 4] = [
    Size { id: "1k", processes: 1_000, suppliers: 1, base: None },
    Size { id: "100k", processes: 100_000, suppliers: 1, base: Some(0) },
    Size { id: "1000_suppliers", processes: 100_000, suppliers: 1_000, base: Some(1) },
    Size { id: "5m", processes: 5_000_000, suppliers: 1, base: Some(0) },
];
/// How many of them are measured without `--huge`.
const USUAL: usize = 3;

/// What a round does with each: status reads, and accounts that are validated again and again, created and imported.
const READS: usize = 20_000;
const ACCOUNTS: u64 = 3_000;
const TURNS: usize = 4;
/// About as many as an account of size M has.
const READINGS: usize = 40;

/// The costs by the sizes of the database, then by those of the account, on SQLite.
pub(super) fn on_sqlite(args: &Args) -> Result<Vec<Figure>, Error> {
    measure(args, &Database::Sqlite)
}

/// The same on PostgreSQL.
pub(super) fn on_postgres(args: &Args) -> Result<Vec<Figure>, Error> {
    measure(args, &Database::Postgres(Site::start(&[])?))
}

fn measure(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let mut figures = by_database(args, database)?;
    figures.extend(readings::measure(args, database)?);
    Ok(figures)
}

fn by_database(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let sizes = if args.huge { &SIZES[..] } else { &SIZES[..USUAL] };
    let prepare = |size: &Size| database.prepare(args, size.id, size.suppliers, size.processes);
    let places = sizes.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
    let account = with_readings(READINGS)?;
    let mut costs: Vec<Costs> = sizes.iter().map(|_| Costs::default()).collect();
    for _ in 0..args.rounds {
        for ((size, place), costs) in sizes.iter().zip(&places).zip(&mut costs) {
            costs.add(size.cost(args, place, &account)?);
        }
    }
    Ok(figures(database, sizes, &costs))
}

impl Size {
    /// A round on a copy of the database.
    fn cost(&self, args: &Args, place: &Place<'_>, account: &Value) -> Result<Cost, Error> {
        let supplier = |n: usize| format!("BENCH_{}", n as u64 % self.suppliers + 1);
        let body = |n| {
            let mut account = numbered(account.clone(), n);
            account["import_supplier"] = json!(supplier(n));
            account.to_string()
        };
        let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
        let bodies: Vec<String> = (0..count).map(body).collect();
        // A prime far from the counts: every read is of another process.
        let process = |n: usize| n as u64 * 7_919 % self.processes + 1;
        let path = |i: u64| format!("/v2/data-import/accounts/BENCH_{}/X-{i:08}/", i % self.suppliers + 1);
        let reads: Vec<String> = (0..READS).map(|n| path(process(n))).collect();
        cost::of(place, &Work { reads: &reads, bodies: &bodies, turns: TURNS })
    }

    fn shown(&self) -> String {
        let processes = format!("{} processes", in_thousands(self.processes));
        match self.suppliers {
            1 => processes,
            suppliers => format!("{processes} of {} suppliers", in_thousands(suppliers)),
        }
    }
}

fn figures(database: &Database, sizes: &[Size], costs: &[Costs]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, what, pick) in cost::KINDS {
        for (size, cost) in sizes.iter().zip(costs) {
            let (id, shown) = (format!("{}.{name}.{}", database.id(), size.id), size.shown());
            let what = format!("{} for {what}, {shown}", database.counted());
            figures.push(Figure::new(&id, what, Unit::Microseconds, pick(cost)));
            if let Some(base) = size.base {
                let what = format!("… as a multiple of that with {}", sizes[base].shown());
                let ratio = ratios(pick(cost), pick(&costs[base]));
                figures
                    .push(Figure::new(format!("{id}.of_less"), what, Unit::Ratio, &ratio).less_is_better());
            }
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_held_against_a_smaller_one() {
        let costs = [10.0, 12.0, 18.0].map(|us| {
            let mut costs = Costs::default();
            costs.add(Cost { status: us, validate: us, create: us, import: us });
            costs
        });
        let figures = figures(&Database::Sqlite, &SIZES[..USUAL], &costs);
        assert_eq!(figures.len(), 4 * 5);
        let found: Vec<_> =
            figures[..5].iter().map(|figure| (figure.id.as_str(), figure.measured.median)).collect();
        assert_eq!(
            found,
            [
                ("flat.sqlite.status.1k", 10.0),
                ("flat.sqlite.status.100k", 12.0),
                ("flat.sqlite.status.100k.of_less", 1.2),
                ("flat.sqlite.status.1000_suppliers", 18.0),
                ("flat.sqlite.status.1000_suppliers.of_less", 1.5),
            ]
        );
        assert_eq!(figures[4].what, "… as a multiple of that with 100,000 processes");
    }
}
