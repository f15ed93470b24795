use crate::Args;
use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::load::create_all;
use crate::seed::sqlite3;
use crate::server::Installation;

/// Accounts that a round creates.
const ACCOUNTS: u64 = 10_000;
const CONNECTIONS: usize = 32;

/// Bytes per account, round by round.
#[derive(Default)]
struct Bytes {
    /// Size of the stored payload.
    payload: Vec<f64>,
    /// Size of the stored payload as a fraction of the JSON.
    of_json: Vec<f64>,
    /// Growth of the database's file.
    file: Vec<f64>,
    /// Bytes the server wrote to the disk, its write-ahead log included.
    written: Vec<f64>,
}

/// Measures the bytes that creates of M accounts store and write on SQLite. On PostgreSQL the part pg-create
/// does.
pub(crate) fn measure(args: &Args) -> Result<Vec<Figure>, Error> {
    let text = args.kit()?.read_accounts(args.payloads(ACCOUNTS))?;
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

/// Creates accounts and returns the number of bytes that the server wrote.
fn create(installation: &Installation, bodies: &[&str]) -> Result<f64, Error> {
    let server = installation.serve(false, &["--role", "api"])?;
    let token = installation.token(&server)?;
    let before = server.written_bytes();
    create_all(server.address, &token, bodies, CONNECTIONS)?;
    let written = server.written_bytes().zip(before).map(|(after, before)| after.saturating_sub(before));
    written
        .map(|bytes| bytes as f64)
        .ok_or_else(|| Error::Bench("cannot read the number of bytes that the server wrote".into()))
}

/// Size of the database file after a checkpoint. No server may be running.
fn size(installation: &Installation) -> Result<f64, Error> {
    sqlite3(installation, &["PRAGMA wal_checkpoint(TRUNCATE);"])?;
    let file = installation.database();
    Ok(std::fs::metadata(&file).map_err(Error::file("read", &file))?.len() as f64)
}
