//! Measures whether the cost of a request and of an import depends on the number of processes, suppliers and
//! readings.

mod cost;
mod readings;

use crate::Args;
use crate::accounts::{numbered, with_readings};
use crate::database::{Database, Prepared};
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::stats::{in_thousands, ratios};
use cost::{Cost, Costs, Work};
use serde_json::{Value, json};

/// Content of the database before a measurement.
struct Size {
    id: &'static str,
    processes: u64,
    suppliers: u64,
    /// Index of the smaller size that it is compared with.
    base: Option<usize>,
}

const SIZES: [Size; 4] = [
    Size { id: "1k", processes: 1_000, suppliers: 1, base: None },
    Size { id: "100k", processes: 100_000, suppliers: 1, base: Some(0) },
    Size { id: "1000_suppliers", processes: 100_000, suppliers: 1_000, base: Some(1) },
    Size { id: "5m", processes: 5_000_000, suppliers: 1, base: Some(0) },
];
/// Number of sizes that are measured without `--huge`.
const USUAL: usize = 3;

/// Status reads of a round; accounts that it creates and imports; validations of each account.
const READS: usize = 20_000;
const ACCOUNTS: u64 = 3_000;
const TURNS: usize = 4;
/// About the number of readings of an account of size M.
const READINGS: usize = 40;

/// Measures costs by the size of the database, then by the size of the account.
pub(crate) fn measure(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let mut figures = by_database(args, database)?;
    figures.extend(readings::measure(args, database)?);
    Ok(figures)
}

fn by_database(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let sizes = if args.huge { &SIZES[..] } else { &SIZES[..USUAL] };
    let prepare =
        |size: &Size| database.prepare(args, &format!("flat-{}", size.id), size.suppliers, size.processes);
    let prepared = sizes.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
    let account = with_readings(READINGS)?;
    let mut costs: Vec<Costs> = sizes.iter().map(|_| Costs::default()).collect();
    for _ in 0..args.rounds {
        for ((size, prepared), costs) in sizes.iter().zip(&prepared).zip(&mut costs) {
            costs.add(size.cost(args, prepared, &account)?);
        }
    }
    Ok(figures(database, sizes, &costs))
}

impl Size {
    /// A round on a copy of the database.
    fn cost(&self, args: &Args, prepared: &Prepared<'_>, account: &Value) -> Result<Cost, Error> {
        let supplier = |n: usize| format!("BENCH_{}", n as u64 % self.suppliers + 1);
        let body = |n| {
            let mut account = numbered(account.clone(), n);
            account["import_supplier"] = json!(supplier(n));
            account.to_string()
        };
        let count = args.payloads(ACCOUNTS);
        let bodies: Vec<String> = (0..count).map(body).collect();
        // A prime far from the counts, so that every read is of another process.
        let process = |n: usize| n as u64 * 7_919 % self.processes + 1;
        let path = |i: u64| format!("/v2/data-import/accounts/BENCH_{}/X-{i:08}/", i % self.suppliers + 1);
        let reads: Vec<String> = (0..READS).map(|n| path(process(n))).collect();
        cost::of(prepared, &Work { reads: &reads, bodies: &bodies, turns: TURNS })
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
            let (id, shown) = (format!("flat.{}.{name}.{}", database.id(), size.id), size.shown());
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
    fn a_size_is_compared_with_a_smaller_one() {
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
