//! Equal requests at the same time: each gets the answer of a repetition, and one of them takes effect.

use super::{at_once, equally, rounds, wait_for_events};
use crate::harness::{
    ACCOUNTS, Action, Answer, BUSINESS, BUSINESS_INSTRUCTION, INSTRUCTION, Installation, NOTES, STATEMENTS,
    TRANSACTIONS, Vendor, adding, business, business_instruction, instruction, items, text,
};
use crate::payloads::small;
use cutover_app::fault::Point;
use serde_json::{Value, json};
use std::thread;

/// Asserts that answers are equal without this member, and returns it of each.
fn apart_from(answers: &[Answer], member: &str) -> Vec<Value> {
    let mut bodies: Vec<Value> = answers.iter().map(Answer::json).collect();
    let taken = bodies.iter_mut().map(|body| body[member].take()).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    taken
}

/// Asserts that of one item in each answer one was added and the others were known, and that they are equal otherwise.
fn one_is_added(mut bodies: Vec<Value>, status: &str) {
    let outcomes: Vec<String> = bodies.iter_mut().map(|item| text(&item["status"].take())).collect();
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == status).count(), 1, "{outcomes:?}");
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[test]
fn of_accounts_businesses_and_manifests() {
    let (installation, _server, client) = Installation::serving();
    installation.run_json(&["supplier", "hold", "ACME"]);
    let rounds = rounds();
    for round in 0..rounds {
        let number = format!("A-{round}");
        let sent = small(&number);
        for _ in 0..2 {
            equally(201, || client.create(&sent));
            equally(200, || client.post(&format!("{ACCOUNTS}ACME/{number}/cancel/"), ""));
        }
        let identifier = format!("B-{round}");
        let contracts = [format!("C-{round}"), format!("D-{round}")];
        let new = business(&identifier, &[&contracts[0], &contracts[1]]);
        let ids = apart_from(&equally(201, || client.send_json(BUSINESS, &new)), "service_business_id");
        let other = business(&identifier, &[&contracts[1]]);
        let path = format!("/v2/data-import/businesses/{identifier}/");
        let same = apart_from(&equally(200, || client.put_json(&path, &other)), "service_business_id");
        assert!(ids.iter().chain(&same).all(|id| *id == ids[0]), "{ids:?} {same:?}");
        let declared = json!({"accounts": round, "documents": 0, "ledger_balance": "0.00", "readings": 0,
            "transactions": 0});
        let path = "/v2/data-import/import-suppliers/ACME/manifest/";
        apart_from(&equally(200, || client.put_json(path, &declared)), "declared_at");
    }
    let expected = [
        ("account_import_process.cancelled", 2 * rounds),
        ("account_import_process.created", 2 * rounds),
        ("business.changed", rounds),
        ("business.created", rounds),
        ("import_supplier.held", 1),
    ];
    wait_for_events(&client, &expected);
    println!("{rounds} rounds");
}

#[test]
fn of_additions() {
    let vendor = Vendor::start(|asked| {
        Action::Json(200, json!({"reference": asked.path.rsplit('/').next().unwrap(), "type": "CARD"}))
    });
    let (installation, server, client) = Installation::serving();
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    let issue = ["api-key", "issue", "--organisation", "Acme", "--role", "reader"];
    let reader = server.client(&text(&installation.run_json(&issue)["api_key"]));
    let rounds = rounds();
    let accounts: Vec<Value> = (0..rounds).map(|round| small(&format!("A-{round}"))).collect();
    client.import(&accounts);
    for round in 0..rounds {
        let number = format!("A-{round}");
        let notes = adding(&number, "notes", json!([{"body": "Moved in."}]));
        let added = equally(201, || client.send_json(NOTES, &notes));
        one_is_added(added.iter().map(|answer| answer.json()[0].take()).collect(), "NOTE_CREATION_SUCCESS");
        let transactions = adding(
            &number,
            "transactions",
            json!([{"transaction_id": "T2", "transaction_date": "2026-10-02", "amount": "1.10", "type": "CREDIT"}]),
        );
        let added = equally(201, || client.send_json(TRANSACTIONS, &transactions));
        let results = added.iter().map(|answer| answer.json()["results"][0].take());
        one_is_added(results.collect(), "TRANSACTION_ADDED_TO_ACCOUNT");
        let statements = adding(
            &number,
            "statements",
            json!([{"statement_id": "S", "bill_period_from_date": "2026-01-01", "bill_period_to_date": "2026-01-31",
                "gross_amount": "12.50", "statement_path": "/a.pdf"}]),
        );
        apart_from(&equally(201, || client.send_json(STATEMENTS, &statements)), "none");
        let pays = instruction(&number, "PAY", "CARD", "R");
        apart_from(&equally(201, || client.send_json(INSTRUCTION, &pays)), "none");
        let identifier = format!("B-{round}");
        assert_eq!(client.send_json(BUSINESS, &business(&identifier, &[])).status, 201);
        let mut pays = business_instruction(&identifier, "PAY", "CARD", "R");
        pays["accounts"] = json!([{"external_account_number": number}]);
        apart_from(&equally(201, || client.send_json(BUSINESS_INSTRUCTION, &pays)), "none");
        let billed = format!("/v2/data-import/imported-accounts/ACME/{number}/billed/");
        equally(200, || reader.post(&billed, ""));
    }
    let expected = [
        ("account.billed", rounds),
        ("account.historical_statements_added", rounds),
        ("account.notes_added", rounds),
        ("account.payment_instruction_added", 2 * rounds),
        ("account.transactions_added", rounds),
        ("account_import_process.created", rounds),
        ("account_import_process.processed", rounds),
        ("business.created", rounds),
    ];
    wait_for_events(&client, &expected);
    println!("{rounds} rounds");
}

/// Commands take longer than requests, so there are fewer of them.
#[test]
fn of_holds() {
    let (installation, _server, client) = Installation::serving();
    let rounds = rounds().div_ceil(50);
    for _ in 0..rounds {
        at_once(4, |_| installation.run_json(&["supplier", "hold", "ACME", "--because", "wrong tariffs"]));
        // One of them ends the hold, and the others may find that it has ended.
        let release = installation.releasing(&["--force", "--because", "checked"]);
        let codes = at_once(4, |_| installation.run(&release).status.code());
        assert!(
            codes.contains(&Some(0)) && codes.iter().all(|code| code.is_some_and(|code| code < 2)),
            "{codes:?}"
        );
        assert_eq!(installation.run_json(&["supplier", "show", "ACME"])["hold"], Value::Null);
    }
    let expected = [("import_supplier.held", rounds), ("import_supplier.released", rounds)];
    wait_for_events(&client, &expected);
    println!("{rounds} rounds");
}

/// The second request is stored after the first has looked for the business, and before it looks for the contracts.
#[test]
fn of_a_business_that_another_node_stores_meanwhile() {
    let Some(installation) = Installation::on_postgres() else { return };
    let key = installation.add_supplier();
    let (first, held) = installation.serve_held(Point::BusinessSought, "B-1", &["--role", "api"]);
    let second = installation.serve_with(&["--role", "api"]);
    let (first, second) = (first.client(&key), second.client(&key));
    let business = business("B-1", &["C-1"]);
    let answers = thread::scope(|scope| {
        let waiting = scope.spawn(|| first.send_json(BUSINESS, &business));
        held.wait();
        let stored = second.send_json(BUSINESS, &business);
        held.release();
        [stored, waiting.join().unwrap()]
    });
    assert_eq!(answers.each_ref().map(|answer| answer.status), [201, 201], "{}", answers[1].text());
    assert_eq!(answers[0].json(), answers[1].json());
    assert_eq!(items(&first.get("/v2/data-import/businesses/").json()).len(), 1);
}
