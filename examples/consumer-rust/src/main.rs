//! Keeps a copy of the accounts of a supplier in an SQLite file.
//!
//! ```console
//! $ CUTOVER_KEY=… consumer URL SUPPLIER DATABASE [--from-oldest-event] [--until-idle]
//! ```
//!
//! The key has the role `reader`. The program may be stopped and killed at any time: it continues where it stopped, and
//! every event has its effect once, because the effect and the position are written in one transaction.
//!
//! A first load streams all imported accounts and ends with the position of the feed from which nothing is missed. Each
//! account may hold more than the events so far say; events that come later find it as it is, and reading it again
//! changes nothing. `--from-oldest-event` leaves the load out.

mod copy;
mod service;

use copy::{Copy, text};
use serde_json::Value;
use service::{Answer, Fault, Response, Result, Service, encoded};
use std::io::BufRead;

/// Types of events after which the account exists or has changed: it is read again.
const CHANGES: [&str; 6] = [
    "account_import_process.processed",
    "account.notes_added",
    "account.transactions_added",
    "account.historical_statements_added",
    "account.payment_instruction_added",
    "account.billed",
];
/// Accounts in a transaction of a load.
const BATCH: usize = 200;

fn main() -> Result<()> {
    let (options, given): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let [url, supplier, database] = given.as_slice() else {
        return Err("usage: consumer URL SUPPLIER DATABASE [--from-oldest-event] [--until-idle]".into());
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let mut service = Service::new(url, std::env::var("CUTOVER_KEY")?);
    let mut copy = Copy::open(database)?;
    if has("--from-oldest-event") {
        copy.skip_load()?;
    }
    loop {
        if !copy.state()?.loaded {
            load(&mut service, &mut copy, supplier)?;
        }
        match follow(&mut service, &mut copy, supplier, if has("--until-idle") { 0 } else { 30 })? {
            // The program was stopped for longer than events are kept.
            None => copy.restart()?,
            Some(false) if has("--until-idle") => return Ok(()),
            Some(_) => {}
        }
    }
}

/// Streams all imported accounts, from the cursor of an interrupted load on.
fn load(service: &mut Service, copy: &mut Copy, supplier: &str) -> Result<()> {
    // Both closures write to it.
    let copy = std::cell::RefCell::new(copy);
    let path = || {
        let after = copy.borrow_mut().state()?.cursor.map(|cursor| format!("?after={}", encoded(&cursor)));
        Ok(format!("{}{}", accounts(supplier), after.unwrap_or_default()))
    };
    match service.get(path, |response| load_lines(response, &mut copy.borrow_mut()))? {
        Answer::Found(()) => Ok(()),
        _ => Err(format!("{supplier}: the service knows no such supplier, or cannot stream accounts").into()),
    }
}

/// Stores the accounts of a stream, whose last line carries the position.
fn load_lines(response: Response, copy: &mut Copy) -> std::result::Result<(), Fault> {
    let mut batch = Vec::new();
    for line in service::lines(response).split(b'\n') {
        // The accounts up to the cursor are stored.
        let Some(line) = line.ok().and_then(|line| serde_json::from_slice::<Value>(&line).ok()) else {
            break;
        };
        if line["end"] == true {
            copy.store_loaded(&mut batch)?;
            return Ok(copy.finish_load(line["events_after"].as_str())?);
        }
        batch.push(line);
        if batch.len() == BATCH {
            copy.store_loaded(&mut batch)?;
        }
    }
    copy.store_loaded(&mut batch)?;
    Err(Fault::Interrupted)
}

/// Applies a page of events. Returns false if there is no further one; `None` if earlier ones have expired.
fn follow(service: &mut Service, copy: &mut Copy, supplier: &str, wait: u32) -> Result<Option<bool>> {
    let position = copy.state()?.position;
    let after = position.as_deref().map(|position| format!("&after={}", encoded(position)));
    let path = format!(
        "/v2/data-import/events/?import_supplier={}&wait={wait}{}",
        encoded(supplier),
        after.unwrap_or_default()
    );
    let read = |response: Response| Ok((service::next_position(&response), service::json(response)?));
    let (reached, events) = match service.get(|| Ok(path.clone()), read)? {
        Answer::Found(page) => page,
        Answer::Expired => return Ok(None),
        Answer::Missing => return Err("the service has no feed of events".into()),
    };
    let (reached, events) =
        (reached.ok_or("a page without Link")?, events.as_array().ok_or("no array")?.clone());
    for event in &events {
        // The account is read before the transaction, which then takes no time.
        let account = match CHANGES.contains(&text(event, "type")?) {
            true => read_account(service, supplier, text(event, "external_account_number")?)?,
            false => None,
        };
        copy.apply(event, account.as_ref())?;
    }
    // The page may be empty and still have a later position: events of other suppliers were passed over.
    copy.reached(&reached)?;
    Ok(Some(!events.is_empty() || position.as_deref() != Some(&reached)))
}

/// Returns an account as it is now; `None` if it was erased since, which a later event says.
fn read_account(service: &mut Service, supplier: &str, number: &str) -> Result<Option<Value>> {
    match service.json(&format!("{}{}/", accounts(supplier), encoded(number)))? {
        Answer::Found(account) => Ok(Some(account)),
        _ => Ok(None),
    }
}

fn accounts(supplier: &str) -> String {
    format!("/v2/data-import/imported-accounts/{}/", encoded(supplier))
}
