use super::cost::{self, Costs, KINDS, Work};
use crate::Args;
use crate::accounts::{numbered, with_readings};
use crate::database::Database;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::stats::{in_thousands, ratios};
use serde_json::{Value, json};

/// Readings of an account, number of such accounts, and validations of each: few of the large ones, and about the
/// same number of readings in total.
const SIZES: [(usize, usize, usize); 3] = [(1, 5_000, 4), (1_000, 400, 5), (50_000, 8, 5)];

/// Measures the cost of an account by the number of its readings.
pub(super) fn measure(args: &Args, database: &Database) -> Result<Vec<Figure>, Error> {
    let prepared = database.prepare(args, "flat-readings", 1, 1)?;
    let mut costs = SIZES.map(|_| Costs::default());
    let accounts = SIZES.iter().map(|&(count, ..)| with_readings(count)).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..args.rounds {
        for ((&(_, number, turns), account), costs) in SIZES.iter().zip(&accounts).zip(&mut costs) {
            let number = if args.quick { number.div_ceil(10) } else { number };
            let bodies: Vec<String> = (0..number).map(|n| body(account, n)).collect();
            costs.add(cost::of(&prepared, &Work { reads: &[], bodies: &bodies, turns })?);
        }
    }
    Ok(figures(database, &costs))
}

fn body(account: &Value, n: usize) -> String {
    let mut account = numbered(account.clone(), n);
    account["import_supplier"] = json!("BENCH_1");
    account.to_string()
}

/// Figures of each size, and the cost of a reading in a large account as a multiple of one in a medium
/// account.
fn figures(database: &Database, costs: &[Costs; 3]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, what, pick) in KINDS.into_iter().filter(|(name, ..)| *name != "status") {
        for ((count, ..), costs) in SIZES.iter().zip(costs) {
            let what = format!("{} for {what}, {} readings", database.counted(), in_thousands(count));
            let id = format!("flat.{}.{name}.{count}_readings", database.id());
            figures.push(Figure::new(id, what, Unit::Microseconds, pick(costs)));
        }
        let [one, middle, large] = costs.each_ref().map(|costs| pick(costs).as_slice());
        let (middle, large) = (a_reading(middle, one, SIZES[1].0), a_reading(large, one, SIZES[2].0));
        let what = "… each reading of the last, as a multiple of one of an account with 1,000";
        let ratio = Figure::new(
            format!("flat.{}.{name}.a_reading", database.id()),
            what,
            Unit::Ratio,
            &ratios(&large, &middle),
        );
        figures.push(ratio.less_is_better());
    }
    figures
}

/// Cost that each reading adds to an account with one reading.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn a_reading(account: &[f64], one: &[f64], count: usize) -> Vec<f64> {
    account.iter().zip(one).map(|(account, one)| (account - one) / (count - 1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::super::cost::Cost;
    use super::*;

    #[test]
    fn a_reading_costs_what_it_adds() {
        let costs = [10.0, 1_009.0, 100_008.0].map(|us| {
            let mut costs = Costs::default();
            costs.add(Cost { status: 0.0, validate: us, create: us, import: us });
            costs
        });
        let figures = figures(&Database::Sqlite, &costs);
        let found: Vec<_> = figures[..4].iter().map(|f| (f.id.as_str(), f.measured.median)).collect();
        assert_eq!(found[0], ("flat.sqlite.validate.1_readings", 10.0));
        assert_eq!(found[3].0, "flat.sqlite.validate.a_reading");
        assert!((found[3].1 - 2.0).abs() < 0.001, "{found:?}");
    }
}
