use super::Args;
use super::figure::{Figure, Unit};
use super::load::post_all;
use super::seed::sqlite3;
use super::server::Installation;
use crate::error::Error;

/// How many accounts a round creates.
const ACCOUNTS: u64 = 10_000;
const CONNECTIONS: usize = 32;

/// Bytes an account, round by round.
#[derive(Default)]
struct Bytes {
    /// The payload as it is kept.
    payload: Vec<f64>,
    /// … as a part of the JSON.
    of_json: Vec<f64>,
    /// What the file of the database grew by.
    file: Vec<f64>,
    /// What the server wrote to the disk for it, its log of changes included.
    written: Vec<f64>,
}

/// What creates of M accounts on SQLite keep and write. What PostgreSQL writes is measured with its creates.
pub(super) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let count = usize::try_from(args.count(ACCOUNTS)).unwrap_or(usize::MAX);
    let file = args.kit()?.accounts(count)?;
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    let bodies: Vec<&str> = text.lines().collect();
    let mut bytes = Bytes::default();
    for _ in 0..args.rounds {
        bytes.add(args, &bodies)?;
    }
    Ok(vec![
        Figure::new("stored.payload", "payload of an M account as it is kept", Unit::Bytes, &bytes.payload),
        Figure::new("stored.payload.of_json", "… as a part of its JSON", Unit::Ratio, &bytes.of_json)
            .at_most(0.2),
        Figure::new(
            "stored.sqlite.file",
            "growth of SQLite's file, each M account",
            Unit::Bytes,
            &bytes.file,
        ),
        Figure::new(
            "stored.sqlite.written",
            "… what the server writes to the disk for a create, its write-ahead log included",
            Unit::Bytes,
            &bytes.written,
        ),
    ])
}

impl Bytes {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn add(&mut self, args: &Args, bodies: &[&str]) -> Result<(), Error> {
        let installation = Installation::new(args, "bench-stored")?;
        let before = size(&installation)?;
        let written = create(&installation, bodies)?;
        let answer = sqlite3(&installation, &["SELECT sum(length(payload)), count(*) FROM payloads"])?;
        let numbers: Vec<f64> = answer.trim().split(',').filter_map(|n| n.parse().ok()).collect();
        let &[payload, stored] = &numbers[..] else {
            return Err(Error::Bench(format!("the payloads were not counted: {answer}")));
        };
        if stored != bodies.len() as f64 {
            return Err(Error::Bench(format!("{stored} payloads are stored")));
        }
        let json = bodies.iter().map(|body| body.len()).sum::<usize>() as f64;
        self.payload.push(payload / stored);
        self.of_json.push(payload / json);
        self.file.push((size(&installation)? - before) / stored);
        self.written.push(written / stored);
        Ok(())
    }
}

/// Creates them; the bytes that the server wrote.
fn create(installation: &Installation, bodies: &[&str]) -> Result<f64, Error> {
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let before = server.written_bytes();
    let done = post_all(server.address, "/v2/data-import/accounts/", &token, bodies, CONNECTIONS, 201)?;
    if done.others > 0 {
        return Err(Error::Bench(format!("{} creates were refused", done.others)));
    }
    let written = server.written_bytes().zip(before).map(|(after, before)| after.saturating_sub(before));
    written.map(|bytes| bytes as f64).ok_or_else(|| Error::Bench("what the server wrote is not known".into()))
}

/// The bytes of the database's file, with all that was committed in it. No server may be running.
fn size(installation: &Installation) -> Result<f64, Error> {
    sqlite3(installation, &["PRAGMA wal_checkpoint(TRUNCATE);"])?;
    let file = installation.database();
    Ok(std::fs::metadata(&file).map_err(Error::file("read", &file))?.len() as f64)
}
