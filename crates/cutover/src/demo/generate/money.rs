use super::{Calendar, Dice, after, ago, money_text};
use serde_json::{Value, json};

/// A ledger whose balances are those of its transactions (rules 8.2).
pub(super) fn ledger(dice: &mut Dice, days: &Calendar, made: u32) -> Value {
    let mut closing = 0;
    let mut historical = Vec::new();
    for i in 0..dice.number(1, 3) {
        let day = ago(days.last_billed, 90 * i);
        let (charge, cents) = supply_charge(dice, days, day, format!("S-{made}-{i}"));
        historical.push(charge);
        closing -= cents;
        if i > 0 || dice.percent(50) {
            historical.push(payment(format!("P-{made}-{i}"), day, cents));
            closing += cents;
        }
    }
    let mut current = Vec::new();
    let mut balance = closing;
    if dice.percent(60) {
        let cents = dice.number(2_000, 40_000);
        current.push(payment(format!("P-{made}-now"), after(days.last_billed, dice.number(2, 15)), cents));
        balance += cents;
    }
    json!({
        "historical_statement_transactions": historical,
        "current_statement_transactions": current,
        "last_statement_closing_date": days.last_billed,
        "last_statement_issue_date": after(days.last_billed, 3),
        "last_statement_balance": money_text(closing),
        "ledger_balance": money_text(balance),
    })
}

/// A charge for supply and its cents, tax included.
fn supply_charge(dice: &mut Dice, days: &Calendar, day: chrono::NaiveDate, id: String) -> (Value, i64) {
    let (units, price) = (dice.number(180, 1_400), dice.number(2_400, 3_600));
    let net = (units * price + 50) / 100;
    let tax = (net + 5) / 10;
    let charge = json!({
        "transaction_id": id,
        "transaction_date": day,
        "amount": money_text(net + tax),
        "type": "SUPPLY_CHARGE",
        "reason": "IMPORTED_CHARGE",
        "product_code": "STANDARD-USAGE",
        "line_items": [{
            "rate_band": "CONSUMPTION_STANDARD",
            "start_date": ago(day, 89).max(days.supply_start),
            "end_date": day,
            "number_of_units": units.to_string(),
            "net_amount": money_text(net),
            "price_per_unit": format!("0.{price:04}"),
        }],
        "tax_items": [{
            "amount": money_text(tax),
            "tax_type": "VAT",
            "value_taxed": money_text(net),
            "rate": "0.1",
            "unit_type": "PROPORTION",
        }],
    });
    (charge, net + tax)
}

fn payment(id: String, day: chrono::NaiveDate, cents: i64) -> Value {
    json!({
        "transaction_id": id,
        "transaction_date": day,
        "amount": money_text(cents),
        "type": "PAYMENT",
        "reason": "ACCOUNT_CHARGE_PAYMENT",
        "payment_type": "BPAY",
    })
}

/// How the account is paid: by direct debit, by card, or by hand.
pub(super) fn pay_by(dice: &mut Dice, days: &Calendar, holder: &str, account: &mut Value) {
    let (kind, means) = match dice.number(1, 10) {
        1..=6 => ("DIRECT_DEBIT", "DD"),
        7..=8 => ("CARD", "CARD"),
        _ => return,
    };
    let mut instruction = json!({
        "vendor": "STRIPE",
        "type": kind,
        "reference": format!("pm_{}x", dice.digits(10)),
        "valid_from": days.supply_start,
    });
    if kind == "CARD" {
        instruction["card"] = json!({
            "card_payment_network": dice.pick(&["VISA", "MASTERCARD"]),
            "card_type": "DEBIT",
            "last_digits": dice.digits(4),
            "expiry_month": dice.number(1, 12),
            "expiry_year": chrono::Datelike::year(&days.today) + 2,
        });
    } else {
        instruction["bank_account"] = json!({
            "account_holder": holder,
            "account_number": dice.digits(9),
            "bsb": dice.pick(&["063-000", "033-001", "083-004", "013-006"]),
        });
    }
    account["payment_instructions"] = json!([instruction]);
    account["payment_schedules"] = json!([{
        "amount": money_text(dice.number(60, 300) * 100),
        "day_of_month": dice.number(1, 28),
        "frequency": "MONTHLY",
        "means": means,
        "start_date": days.supply_start,
    }]);
}

pub(super) fn statements(dice: &mut Dice, days: &Calendar, made: u32) -> Vec<Value> {
    let statement = |i: i64| {
        let to = ago(days.last_billed, 90 * i);
        json!({
            "bill_period_from_date": ago(to, 89),
            "bill_period_to_date": to,
            "statement_id": format!("ST-{made}-{i}"),
            "statement_path": format!("/statements/{made}-{i}.pdf"),
        })
    };
    (0..dice.number(1, 3)).map(statement).collect()
}
