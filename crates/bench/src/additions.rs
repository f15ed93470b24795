use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::Connection;
use crate::server::{Installation, SUPPLIER};
use crate::stats::{in_thousands, ratios};
use std::time::{Duration, Instant};

/// Number of each kind that an account has.
const FEW: usize = 10;
const MANY: u64 = 100_000;
/// Items of a call while an account is filled, and while it is measured.
const BATCH: usize = 1_000;
const ITEMS: usize = 10;
/// Number of accounts with few, used in rotation so that none gets many.
const TURNS: usize = 50;
/// Calls of a round, for each kind and size.
const CALLS: usize = 200;
/// The account with many.
const LARGE: &str = "LARGE";

/// A kind of addition.
struct Kind {
    name: &'static str,
    item: fn(usize) -> String,
}

const KINDS: [Kind; 3] = [
    Kind { name: "notes", item: |n| format!(r#"{{"body":"Note {n}"}}"#) },
    Kind {
        name: "transactions",
        item: |n| {
            format!(
                r#"{{"transaction_id":"T-{n}","transaction_date":"2026-10-01","amount":"1.10","type":"CREDIT"}}"#
            )
        },
    },
    Kind {
        name: "historical-statements",
        item: |n| {
            format!(
                r#"{{"statement_id":"S-{n}","bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31"}}"#
            )
        },
    },
];

/// Calls for accounts that have few and that have many, in turn.
pub(crate) fn compare(args: &Args) -> Result<Vec<Figure>, Error> {
    let (rounds, many_items) = (args.rounds, args.payloads(MANY));
    let installation = Installation::new(args, "bench-additions")?;
    let server = installation.serve(false, &[])?;
    let token = installation.token(&server)?;
    let connection = Connection::open(server.address).map_err(failed)?;
    let mut bench = Bench { connection, token, sent: 0 };
    bench.create_accounts()?;
    let mut figures = Vec::new();
    for kind in &KINDS {
        bench.fill(kind, LARGE, many_items)?;
        (0..TURNS).try_for_each(|n| bench.fill(kind, &small(n), FEW))?;
        let (mut few, mut many) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            few.push(bench.calls(kind, small)?);
            many.push(bench.calls(kind, |_| LARGE.to_owned())?);
        }
        let (id, name) = (format!("additions.{}", kind.name), kind.name.replace('-', " "));
        let what = format!("call of {ITEMS} {name} for an account that has {}", in_thousands(many_items));
        figures.push(Figure::new(&id, what, Unit::Milliseconds, &many));
        let what = format!("… as a multiple of one for an account that has {FEW}");
        let ratio = Figure::new(format!("{id}.of_few"), what, Unit::Ratio, &ratios(&many, &few));
        figures.push(ratio.less_is_better());
    }
    Ok(figures)
}

fn small(n: usize) -> String {
    format!("SMALL-{}", n % TURNS)
}

fn failed(e: std::io::Error) -> Error {
    Error::Bench(format!("a connection failed: {e}"))
}

struct Bench {
    connection: Connection,
    token: String,
    /// Number of items sent so far, which makes each of them unique.
    sent: usize,
}

impl Bench {
    fn post(&mut self, path: &str, body: &str, wanted: u16) -> Result<(), Error> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Token {}\r\nContent-Type: application/json\r\n",
            self.token
        );
        match self.connection.post(&head, body).map_err(failed)? {
            (status, _) if status == wanted => Ok(()),
            (status, body) => Err(Error::Bench(format!("{path} was answered with {status}: {body}"))),
        }
    }

    fn create_accounts(&mut self) -> Result<(), Error> {
        let numbers: Vec<String> = (0..TURNS).map(small).chain([LARGE.to_owned()]).collect();
        for number in &numbers {
            let body = format!(r#"{{"import_supplier":"{SUPPLIER}","external_account_number":"{number}"}}"#);
            self.post("/v2/data-import/accounts/", &body, 201)?;
        }
        let start = Instant::now();
        for number in &numbers {
            let path = format!("/v1/data-import/account-transfer-status/{SUPPLIER}/{number}/");
            while !self.is_completed(&path)? {
                if start.elapsed() > Duration::from_secs(60) {
                    return Err(Error::Bench("the accounts were not imported within a minute".into()));
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    fn is_completed(&mut self, path: &str) -> Result<bool, Error> {
        let (status, body) = self.connection.get(path, &self.token).map_err(failed)?;
        Ok(status == 200 && body.contains("COMPLETED"))
    }

    /// Adds new items to an account.
    fn add(&mut self, kind: &Kind, number: &str, count: usize) -> Result<(), Error> {
        let items: Vec<String> = (self.sent..self.sent + count).map(kind.item).collect();
        self.sent += count;
        let member = kind.name.rsplit('-').next().unwrap_or(kind.name);
        let body = format!(
            r#"{{"import_supplier":"{SUPPLIER}","external_account_number":"{number}","{member}":[{}]}}"#,
            items.join(",")
        );
        self.post(&format!("/v1/data-import/{}/create/", kind.name), &body, 201)
    }

    fn fill(&mut self, kind: &Kind, number: &str, mut count: usize) -> Result<(), Error> {
        while count > 0 {
            let batch = count.min(BATCH);
            self.add(kind, number, batch)?;
            count -= batch;
        }
        Ok(())
    }

    /// Returns the mean time of a call in ms.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn calls(&mut self, kind: &Kind, account: impl Fn(usize) -> String) -> Result<f64, Error> {
        let start = Instant::now();
        (0..CALLS).try_for_each(|n| self.add(kind, &account(n), ITEMS))?;
        Ok(start.elapsed().as_secs_f64() * 1e3 / CALLS as f64)
    }
}
