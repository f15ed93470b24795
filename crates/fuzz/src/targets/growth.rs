use super::Target;
use super::body::seeds as bodies;
use cutover_app::port::Clock;
use cutover_core::{Now, Zone};
use cutover_model::decode_account;
use cutover_rules::{Facts, Profile, check_account};
use cutover_testkit::FakeClock;
use std::time::Duration;

/// Growth of the work with the size of the input.
pub(crate) const TARGET: Target = Target {
    name: "growth",
    description: "a piece repeated in an account: decoding and checking takes time about proportional to the size",
    run,
    seeds,
    words: &["\"id\":\"1\",", "\"document_paths\":[\"a\"],", "\"serial_number\":\"1\","],
    max: 1 << 10,
    executions: 5_000,
};

/// Contexts in which a piece is repeated: prefix, separator and suffix.
const CONTEXTS: [(&str, &str, &str); 10] = [
    ("{\"customers\":[", ",", "]}"),
    ("{\"notes\":[", ",", "]}"),
    ("{\"ledgers\":[", ",", "]}"),
    ("{\"statements\":[", ",", "]}"),
    ("{\"supply_addresses\":[", ",", "]}"),
    ("{\"supply_addresses\":[{\"meter_points\":[", ",", "]}]}"),
    ("{\"ledgers\":[{\"current_statement_transactions\":[", ",", "]}]}"),
    ("{\"payload\":{\"notes\":[", ",", "]}}"),
    ("{", ",", "}"),
    ("{\"billing_name\":\"", " ", "\"}"),
];

const SMALL: usize = 8 << 10;
const TIMES: usize = 16;

fn run(input: &[u8]) {
    let [context, piece @ ..] = input else { return };
    let context = CONTEXTS[usize::from(*context) % CONTEXTS.len()];
    if piece.is_empty() {
        return;
    }
    let (small, large) = (repeated(context, piece, SMALL), repeated(context, piece, TIMES * SMALL));
    let bound = work(&small) * (5 * TIMES as u32) + Duration::from_millis(300);
    let took = work(&large);
    assert!(took <= bound, "{took:?} for {} bytes, expected at most {bound:?}", large.len());
}

fn repeated((before, between, behind): (&str, &str, &str), piece: &[u8], size: usize) -> Vec<u8> {
    let times = size.div_ceil(piece.len() + between.len());
    [before.as_bytes(), &vec![piece; times].join(between.as_bytes()), behind.as_bytes()].concat()
}

/// CPU time that decoding and checking a body takes.
fn work(body: &[u8]) -> Duration {
    let began = cpu_time();
    if let Ok(decoded) = decode_account(body, Zone::UTC) {
        let facts = Facts::at(Now::new(FakeClock::of_fixtures().now(), Zone::UTC));
        check_account(&decoded, facts, &Profile::default());
    }
    cpu_time().saturating_sub(began)
}

/// CPU time of this thread, which does not depend on the load of the machine.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap_or_default())
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}

/// Array items of all accounts, each for its context.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds =
        vec![b"8\"a\":1".to_vec(), b"9x".to_vec(), b"0[".to_vec(), b"0{}".to_vec(), b"1null".to_vec()];
    for body in bodies().iter().filter(|body| body[0] == b'a').step_by(8) {
        let account: serde_json::Value = serde_json::from_slice(&body[2..]).unwrap_or_default();
        for (place, pointer) in (b'0'..).zip([
            "/customers/0",
            "/notes/0",
            "/ledgers/0",
            "/statements/0",
            "/supply_addresses/0",
            "/supply_addresses/0/meter_points/0",
            "/ledgers/0/current_statement_transactions/0",
        ]) {
            let item = account.pointer(pointer).map(|item| item.to_string());
            seeds.extend(item.map(|item| [&[place], item.as_bytes()].concat()));
        }
    }
    seeds
}
