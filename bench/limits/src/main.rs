//! The limit `full`: what it costs in Rust to parse an account into structs with borrowed texts and to make the checks of the
//! peers. It stops at the first fault and names none.
//!
//!     full serve            answers on a free port, with one worker
//!     full offline FILE     prints the accounts of the file, one a line, that it checks in a CPU second

use actix_web::{App, HttpResponse, HttpServer, web};
use chrono::{DateTime, FixedOffset, NaiveDate};
use rust_decimal::Decimal;
use std::borrow::Cow;
use std::error::Error;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The checks of an object that its types do not make.
trait Check {
    fn holds(&self) -> bool;
}

#[expect(dead_code, reason = "members are parsed and not read")]
mod model {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

fn is_phone(text: &str) -> bool {
    phonenumber::parse(Some(phonenumber::country::AU), text)
        .is_ok_and(|number| phonenumber::is_valid(&number))
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, domain)| !name.is_empty() && domain.contains('.'))
}

fn ordered<T: Ord>(start: Option<T>, end: Option<T>) -> bool {
    start.zip(end).is_none_or(|(start, end)| start <= end)
}

fn is_valid(account: &[u8]) -> bool {
    serde_json::from_slice::<model::Account<'_>>(account).is_ok_and(|account| account.holds())
}

async fn validate(body: web::Bytes) -> HttpResponse {
    if is_valid(&body) {
        HttpResponse::Ok().content_type("application/json").body("{}")
    } else {
        HttpResponse::BadRequest()
            .content_type("application/json")
            .body(r#"{"code":"account_failed_validation","errors":[]}"#)
    }
}

#[actix_web::main]
async fn serve() -> std::io::Result<()> {
    let app = || {
        App::new().app_data(web::PayloadConfig::new(50_000_000)).route("/validate", web::post().to(validate))
    };
    let server = HttpServer::new(app).workers(1).bind("127.0.0.1:0")?;
    println!("listening on http://{}", server.addrs()[0]);
    server.run().await
}

fn offline(file: &str) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let (start, mut done) = (cpu_seconds()?, 0.0);
    loop {
        for account in text.lines() {
            assert!(is_valid(account.as_bytes()), "an account is faulty");
            done += 1.0;
        }
        let used = cpu_seconds()? - start;
        if used >= 1.0 {
            println!("{}", done / used);
            return Ok(());
        }
    }
}

/// CPU seconds of this process, user and system.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').ok_or("no name")?.1.split_whitespace().skip(11).take(2);
    let ticks = fields.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => Ok(serve()?),
        ["offline", file] => offline(file),
        _ => Err("usage: full serve | full offline FILE".into()),
    }
}
