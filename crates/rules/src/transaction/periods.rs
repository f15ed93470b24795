use super::is_supply_charge;
use crate::prelude::*;
use cutover_model::draft;
use rust_decimal::Decimal;

/// A line item for days that are charged already.
///
/// Transactions name no supply point, so that two of them with the same product overlap without a fault: hence a warning.
pub(super) const TXN_12: Rule = Rule {
    id: RuleId("TXN-12"),
    codes: &[Code::GapsOrOverlapsInPeriods],
    place: "`TX.line_items.#.start_date` (in ledgers)",
    condition: "SUPPLY_CHARGE that is not negative: on or before the end of another line item with the same `product_code` \
        and `rate_band`, in the same list of the ledger, that starts earlier or is sent before it",
    level: Level::Warning,
    on: On::Ledger(overlaps),
    ..Rule::OF_PAYLOAD
};

/// A line item after days that are not charged.
pub(super) const TXN_13: Rule = Rule {
    id: RuleId("TXN-13"),
    codes: &[Code::GapsOrOverlapsInPeriods],
    place: "`TX.line_items.#.start_date` (in ledgers)",
    condition: "SUPPLY_CHARGE that is not negative: more than one day after the latest end of the line items with the same \
        `product_code`, in the same list of the ledger, that start earlier",
    level: Level::Off,
    on: On::Ledger(gaps),
    ..Rule::OF_PAYLOAD
};

fn overlaps(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    each_list(ledger, |member, list| {
        if follow_each_other(list) {
            return;
        }
        successors(
            list,
            |period| (period.product, period.band),
            |period, latest_end| {
                if period.start <= latest_end {
                    report(period, member, at, checker);
                }
            },
        );
    });
}

fn gaps(ledger: &Ledger<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    each_list(ledger, |member, list| {
        successors(
            list,
            |period| period.product,
            |period, latest_end| {
                if latest_end.succ_opt().is_some_and(|next| period.start > next) {
                    report(period, member, at, checker);
                }
            },
        );
    });
}

fn report(period: &Period<'_>, member: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    let transaction = at.item(member, period.transaction);
    let item = transaction.item("line_items", period.item);
    checker.report(item.member("start_date"), Code::GapsOrOverlapsInPeriods);
}

type Transactions<'j> = List<draft::Transaction<'j>>;

fn each_list<'a, 'j>(ledger: &'a Ledger<'j>, mut f: impl FnMut(&'static str, &'a Transactions<'j>)) {
    for (member, list) in [
        (CURRENT, &ledger.current_statement_transactions),
        (HISTORICAL, &ledger.historical_statement_transactions),
    ] {
        if let Some(list) = list.usable() {
            f(member, list);
        }
    }
}

/// The days of a line item, both included.
#[derive(Debug, Clone, Copy)]
struct Period<'a> {
    product: &'a str,
    band: &'a str,
    start: NaiveDate,
    end: NaiveDate,
    transaction: u32,
    item: u32,
}

/// Returns true if each line item lies before or after all those with the same product and band that are sent before it:
/// the common case, which is decided without copying.
fn follow_each_other(list: &Transactions<'_>) -> bool {
    let mut all_days = SmallMap::new();
    let mut follow = true;
    each_period(list, |period| {
        let days = all_days.slot((period.product, period.band), None);
        let (first, last) = days.unwrap_or((NaiveDate::MAX, NaiveDate::MIN));
        follow &= period.start > last || period.end < first;
        *days = Some((first.min(period.start), last.max(period.end)));
    });
    follow
}

/// Calls `f` for each line item but the first of those with the same key, ordered by start, with the latest end of those
/// before it. Silent if a fault may hide a line item (rules 1.3).
fn successors<'a, K: Ord>(
    list: &'a Transactions<'_>,
    key: impl Fn(&Period<'a>) -> K,
    mut f: impl FnMut(&Period<'a>, NaiveDate),
) {
    let mut periods = Vec::new();
    if !each_period(list, |period| periods.push(period)) {
        return;
    }
    periods.sort_by_key(|period| (key(period), period.start));
    for of_one_key in periods.chunk_by(|a, b| key(a) == key(b)) {
        let mut latest_end = of_one_key[0].end;
        for period in &of_one_key[1..] {
            f(period, latest_end);
            latest_end = latest_end.max(period.end);
        }
    }
}

/// Calls `f` with the line items of supply charges. Returns false if a fault may hide one.
fn each_period<'a>(list: &'a Transactions<'_>, mut f: impl FnMut(Period<'a>)) -> bool {
    let mut are_known = list.is_whole();
    for (index, transaction) in list.usable() {
        are_known &= match transaction.kind.usable() {
            Some(_) if is_supply_charge(transaction) => of_charge(transaction, index, &mut f).is_some(),
            Some(_) => true,
            None => false,
        };
    }
    are_known
}

/// Returns `None` if a fault may hide a line item.
fn of_charge<'a>(
    charge: &'a draft::Transaction<'_>,
    transaction: u32,
    mut f: impl FnMut(Period<'a>),
) -> Option<()> {
    // A negative charge takes an earlier one back.
    if charge.amount.usable()?.value() < Decimal::ZERO || charge.line_items.is_absent() {
        return Some(());
    }
    let product = charge.product_code.usable()?.trimmed();
    let items = charge.line_items.usable()?;
    let mut are_known = items.is_whole().then_some(());
    for (item, line) in items.usable() {
        match days_and_band(line) {
            Some((start, end, band)) if start <= end => {
                f(Period { product, band, start, end, transaction, item });
            }
            Some(_) => {}
            None => are_known = None,
        }
    }
    are_known
}

fn days_and_band<'a>(line: &'a LineItem<'_>) -> Option<(NaiveDate, NaiveDate, &'a str)> {
    let band = match line.rate_band.presence() {
        Presence::Usable(band) => band.trimmed(),
        Presence::Absent => "",
        Presence::Faulty => return None,
    };
    Some((*line.start_date.usable()?, *line.end_date.usable()?, band))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// A supply charge with line items `band from to` in October.
    fn charge(product: &str, amount: Value, items: &[&str]) -> Value {
        let item = |text: &&str| {
            let [band, from, to] = text.split(' ').collect::<Vec<_>>()[..] else { return json!(text) };
            let day = |day: &str| format!("2026-10-{day}");
            json!({"rate_band": band, "start_date": day(from), "end_date": day(to)})
        };
        let items: Value = items.iter().map(item).collect();
        json!({"type": "SUPPLY_CHARGE", "product_code": product, "amount": amount, "line_items": items})
    }

    /// Returns the places of line items that a rule reports, as `transaction.item` of the current list.
    fn reported(rule: &str, transactions: &[Value]) -> Vec<String> {
        let place = |line: String| {
            let line =
                line.strip_suffix(".start_date gaps_or_overlaps_in_periods (warning)").unwrap().to_owned();
            line.replace("ledgers.0.current_statement_transactions.", "").replace(".line_items", "")
        };
        let ledger = json!({"current_statement_transactions": transactions});
        run(rule, json!({"ledgers": [ledger]})).into_iter().map(place).collect()
    }

    #[test]
    fn overlapping_line_items_are_reported() {
        let one = |items: &[&str]| charge("P", json!(1), items);
        for (transactions, expected) in [
            (vec![one(&["A 01 31", "A 20 31"])], &["0.1"][..]),
            (vec![one(&["A 01 20", "A 20 31"])], &["0.1"]),
            (vec![one(&["A 20 31", "A 01 20"])], &["0.0"]),
            (vec![one(&["A 01 31"]), one(&["A 01 31"])], &["1.0"]),
            (vec![one(&["A 01 31", "A 02 03", "A 04 05"])], &["0.1", "0.2"]),
            (vec![one(&["A 01 31", "B 01 31"])], &[]),
            (vec![one(&["A 01 19", "A 20 31"])], &[]),
            (vec![one(&["A 20 31", "A 01 19"])], &[]),
            (vec![one(&["A 01 31"]), charge("Q", json!(1), &["A 01 31"])], &[]),
            (vec![one(&["A 01 31"]), charge("P", json!(-1), &["A 01 31"])], &[]),
            (vec![one(&["A 31 01", "A 01 31"])], &[]),
        ] {
            assert_eq!(reported("TXN-12", &transactions), expected, "{transactions:?}");
        }
        let both = json!({
            "current_statement_transactions": [one(&["A 01 31"])],
            "historical_statement_transactions": [one(&["A 01 31"])],
        });
        assert_eq!(run("TXN-12", json!({"ledgers": [both]})), [""; 0], "lists are judged separately");
    }

    #[test]
    fn line_items_of_many_products_are_compared() {
        let charges = |count: usize| -> Vec<Value> {
            (0..count).map(|i| charge(&format!("P{i}"), json!(1), &["A 01 31"])).collect()
        };
        let mut transactions = charges(40);
        assert_eq!(reported("TXN-12", &transactions), [""; 0]);
        transactions.push(charge("P39", json!(1), &["A 31 31"]));
        assert_eq!(reported("TXN-12", &transactions), ["40.0"]);
    }

    #[test]
    fn gaps_between_line_items_are_reported() {
        let one = |items: &[&str]| charge("P", json!(1), items);
        for (transactions, expected) in [
            (vec![one(&["A 01 10", "A 12 31"])], &["0.1"][..]),
            (vec![one(&["A 12 31"]), one(&["B 01 10"])], &["0.0"]),
            (vec![one(&["A 01 10", "A 11 31"])], &[]),
            (vec![one(&["A 01 31", "B 02 03", "B 20 31"])], &[]),
            (vec![one(&["A 01 10"]), charge("Q", json!(1), &["A 12 31"])], &[]),
            (vec![one(&["A 01 10"]), charge("P", json!(-1), &["A 12 31"])], &[]),
        ] {
            assert_eq!(reported("TXN-13", &transactions), expected, "{transactions:?}");
        }
        assert_eq!(crate::rule("TXN-13").unwrap().level, cutover_core::Level::Off);
    }

    #[test]
    fn silent_if_a_line_item_is_unknown() {
        let overlap = charge("P", json!(1), &["A 01 10", "A 10 12", "A 14 15"]);
        assert_eq!(reported("TXN-12", std::slice::from_ref(&overlap)).len(), 1);
        assert_eq!(reported("TXN-13", std::slice::from_ref(&overlap)).len(), 1);
        let mut faulty_band = charge("Q", json!(1), &["A 01 10"]);
        faulty_band["line_items"][0]["rate_band"] = json!(7);
        for other in [
            json!(7),
            json!({"type": "GIFT"}),
            json!({"amount": 1}),
            charge("Q", json!("x"), &["A 01 10"]),
            charge(" ", json!(1), &["A 01 10"]),
            charge("Q", json!(1), &["x"]),
            charge("Q", json!(1), &["A 01 32"]),
            faulty_band,
        ] {
            for rule in ["TXN-12", "TXN-13"] {
                assert_eq!(reported(rule, &[overlap.clone(), other.clone()]), [""; 0], "{rule} {other}");
            }
        }
        for known in
            [json!({"type": "CHARGE"}), json!({"type": "SUPPLY_CHARGE", "amount": 1, "product_code": "Q"})]
        {
            assert_eq!(reported("TXN-12", &[overlap.clone(), known]).len(), 1);
        }
    }
}
