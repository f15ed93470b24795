use super::is_supply_charge;
use crate::prelude::*;
use cutover_model::draft;

/// A supply charge without an agreement that lasts over all of it.
pub(super) const TXN_11: Rule = Rule {
    id: RuleId("TXN-11"),
    codes: &[Code::SupplyChargeLineItemsNotCoveredBySingleAgreement],
    place: "`TX.line_items` (in ledgers)",
    condition: "SUPPLY_CHARGE: no agreement of the account has the `product_code` as its `tariff_code`, starts on or before \
        the earliest `start_date`, and is open or ends after the latest `end_date`",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    // Found when the first supply charge is; `None` in it if a fault may hide an agreement.
    let mut tariffs = None;
    Transactions::Account(account).each(|transaction, at| {
        let Some((product, days)) = charged(transaction) else { return };
        let tariffs = tariffs.get_or_insert_with(|| Tariffs::of(account));
        if tariffs.as_ref().is_some_and(|tariffs| !tariffs.cover(product, days)) {
            checker.report(at.member("line_items"), Code::SupplyChargeLineItemsNotCoveredBySingleAgreement);
        }
    });
}

/// Returns the product of a supply charge, and the first and last day of its line items.
fn charged<'a>(transaction: &'a draft::Transaction<'_>) -> Option<(&'a str, [NaiveDate; 2])> {
    if !is_supply_charge(transaction) {
        return None;
    }
    let product = transaction.product_code.usable()?.trimmed();
    let items = transaction.line_items.usable().filter(|items| items.is_whole())?;
    let mut days: Option<[NaiveDate; 2]> = None;
    for (_, item) in items.usable() {
        let (start, end) = (*item.start_date.usable()?, *item.end_date.usable()?);
        days = Some(days.map_or([start, end], |[first, last]| [first.min(start), last.max(end)]));
    }
    Some((product, days?))
}

/// The agreements of an account, by tariff and start.
struct Tariffs<'a>(Vec<Tariff<'a>>);

struct Tariff<'a> {
    code: &'a str,
    from: NaiveDate,
    /// The latest end of this agreement and of those before it with the same code; agreements last until the day before.
    /// `NaiveDate::MAX` if one is open; no payload can contain that day.
    until: NaiveDate,
}

impl<'a> Tariffs<'a> {
    /// Returns the agreements, or `None` if a fault may hide one.
    fn of(account: &'a Account<'_>) -> Option<Self> {
        let mut all = Vec::new();
        for (_, entry) in account.supply_addresses.usable().filter(|list| list.is_whole())?.usable() {
            for (_, point) in entry.meter_points.usable().filter(|list| list.is_whole())?.usable() {
                let agreements = &point.common.agreements;
                if agreements.is_absent() {
                    continue;
                }
                for (_, agreement) in agreements.usable().filter(|list| list.is_whole())?.usable() {
                    all.push(Tariff::of(agreement)?);
                }
            }
        }
        all.sort_unstable_by_key(|tariff| (tariff.code, tariff.from));
        for of_one_code in all.chunk_by_mut(|a, b| a.code == b.code) {
            let mut latest = NaiveDate::MIN;
            for tariff in of_one_code {
                latest = latest.max(tariff.until);
                tariff.until = latest;
            }
        }
        Some(Self(all))
    }

    /// Returns true if a single agreement lasts from the first to the last of these days.
    fn cover(&self, code: &str, [first, last]: [NaiveDate; 2]) -> bool {
        let begun = self.0.partition_point(|tariff| (tariff.code, tariff.from) <= (code, first));
        begun.checked_sub(1).is_some_and(|at| self.0[at].code == code && self.0[at].until > last)
    }
}

impl<'a> Tariff<'a> {
    fn of(agreement: &'a Agreement<'_>) -> Option<Self> {
        let until = match agreement.effective_to.presence() {
            Presence::Usable(end) => *end,
            Presence::Absent => NaiveDate::MAX,
            Presence::Faulty => return None,
        };
        let code = agreement.tariff_code.usable()?.trimmed();
        Some(Self { code, from: *agreement.effective_from.usable()?, until })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn account(charge: &Value, agreements: &Value) -> Value {
        json!({
            "supply_addresses": [{"meter_points": [{}]}, {"meter_points": [{"agreements": agreements}]}],
            "ledgers": [{"current_statement_transactions": [charge], "historical_statement_transactions": [charge]}],
        })
    }

    fn charge(product: Value, items: Value) -> Value {
        json!({"type": "SUPPLY_CHARGE", "product_code": product, "line_items": items})
    }

    fn october() -> Value {
        json!([
            {"start_date": "2026-10-11", "end_date": "2026-10-31"},
            {"start_date": "2026-10-01", "end_date": "2026-10-10"},
        ])
    }

    fn agreement(code: &str, from: &str, to: Value) -> Value {
        json!({"tariff_code": code, "effective_from": from, "effective_to": to})
    }

    /// Returns whether the rule reports a charge for product T in October.
    fn fires(agreements: Value) -> bool {
        let found = run("TXN-11", account(&charge(json!("T"), october()), &agreements));
        let line = |list: &str| {
            format!(
                "ledgers.0.{list}_statement_transactions.0.line_items \
                 supply_charge_line_items_not_covered_by_single_agreement (warning)"
            )
        };
        assert!(found.is_empty() || found == ["current", "historical"].map(line), "{found:?}");
        !found.is_empty()
    }

    #[test]
    fn one_agreement_lasts_over_all_line_items() {
        let open = json!(null);
        assert!(!fires(json!([agreement("T", "2026-10-01", open.clone())])));
        assert!(!fires(json!([agreement(" T", "2026-10-01", json!("2026-11-01"))])));
        assert!(fires(json!([agreement("T", "2026-10-02", open.clone())])));
        assert!(fires(json!([agreement("T", "2026-10-01", json!("2026-10-31"))])));
        assert!(fires(json!([agreement("U", "2026-01-01", open.clone())])));
        assert!(fires(json!([agreement("S", "2026-01-01", open.clone())])));
        assert!(fires(json!([])));
        assert!(fires(json!([
            agreement("T", "2026-01-01", json!("2026-10-15")),
            agreement("T", "2026-10-15", open.clone())
        ])));
        assert!(!fires(json!([
            agreement("T", "2026-10-15", open.clone()),
            agreement("T", "2026-01-01", open.clone())
        ])));
        assert!(!fires(json!([
            agreement("T", "2026-01-01", open.clone()),
            agreement("T", "2026-03-01", json!("2026-04-01")),
            agreement("U", "2026-01-01", json!("2026-02-01")),
        ])));
    }

    #[test]
    fn silent_if_an_agreement_or_a_day_is_unknown() {
        for agreements in [
            json!([agreement("U", "2026-01-01", json!(null)), 7]),
            json!([agreement("U", "2026-01-32", json!(null))]),
            json!([agreement("U", "2026-01-01", json!("2026-01-32"))]),
            json!([{"effective_from": "2026-01-01"}]),
            json!(7),
        ] {
            assert!(!fires(agreements.clone()), "{agreements}");
        }
        let none = json!([]);
        for other in [
            charge(json!(7), october()),
            charge(json!(null), october()),
            charge(json!("T"), json!([])),
            charge(json!("T"), json!([{"start_date": "2026-10-01"}])),
            charge(json!("T"), json!([{"start_date": "2026-10-01", "end_date": "2026-10-31"}, 7])),
            json!({"type": "CHARGE", "product_code": "T", "line_items": october()}),
            json!({"type": "GIFT", "product_code": "T", "line_items": october()}),
        ] {
            assert_eq!(run("TXN-11", account(&other, &none)), [""; 0], "{other}");
        }
        let mut without = account(&charge(json!("T"), october()), &none);
        without.as_object_mut().unwrap().remove("supply_addresses");
        assert_eq!(run("TXN-11", without), [""; 0]);
        let request = json!([charge(json!("T"), october())]);
        assert_eq!(request_finds("TXN-11", &request), [""; 0], "a request has no agreements");
    }
}
