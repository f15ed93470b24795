use super::Target;
use cutover_postgres_client::Config;
use cutover_postgres_client::fuzzing::{Answer, answers, log_in, notifiers};
use cutover_testkit::payload::Dice;

/// Messages of a PostgreSQL server.
pub(crate) const TARGET: Target = Target {
    name: "postgres",
    description: "messages of a PostgreSQL server: the same answers for any packets, as a simple reader finds them; no login without the binding that is required",
    run,
    seeds,
    words: &[
        "SCRAM-SHA-256\0\0",
        "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0",
        "C57014\0",
        "SELECT 2\0",
        "\0\0\0\x04",
    ],
    max: 4 << 10,
    executions: 130_000,
};

/// Number of statements that wait for answers.
const STATEMENTS: usize = 4;
const PASSWORD: &str = "correct horse";

fn run(input: &[u8]) {
    let [form, seed, rest @ ..] = input else { return };
    let dice = &mut Dice::new(u64::from(*seed));
    match form % 3 {
        0 => valid(rest, dice),
        1 => any(rest, dice),
        _ => login(rest, dice),
    }
}

/// Checks that valid messages are read as by a simple reader.
fn valid(bytes: &[u8], dice: &mut Dice) {
    let messages: Vec<Message> = bytes.iter().map(|byte| Message::of(*byte)).collect();
    let sent: Vec<u8> = messages.iter().flat_map(Message::bytes).collect();
    let read = answers(packets(&sent, dice), STATEMENTS);
    assert_eq!(read, expected(&messages), "of {messages:?}");
}

/// Checks that the answers to any bytes do not depend on the packets, and that a lost connection stays lost.
fn any(bytes: &[u8], dice: &mut Dice) {
    let whole = answers(packets(bytes, &mut Dice::new(0)), STATEMENTS);
    assert_eq!(whole, answers(packets(bytes, dice), STATEMENTS), "the answers depend on the packets");
    let kept = whole.iter().skip_while(|answer| **answer != Answer::Lost);
    assert!(kept.clone().all(|answer| *answer == Answer::Lost), "a lost connection answers");
    let values = whole.iter().map(|answer| match answer {
        Answer::Rows(rows) => rows.iter().flatten().flatten().map(Vec::len).sum(),
        _ => 0,
    });
    assert!(values.sum::<usize>() <= bytes.len(), "values that were not sent");
    assert!(
        notifiers(packets(bytes, dice), STATEMENTS).len() * 11 <= bytes.len(),
        "senders that were not sent"
    );
}

/// Checks that a login that requires a binding neither succeeds nor shows the password: there is no TLS.
fn login(bytes: &[u8], dice: &mut Dice) {
    let url = format!("postgres://me@db/x?channel_binding=require&password={}", PASSWORD.replace(' ', "%20"));
    let config = Config::parse(&url).expect("a valid URL");
    let (result, received) = log_in(&config, packets(bytes, dice));
    assert!(result.is_err(), "a login without the binding");
    assert!(!holds(&received, PASSWORD.as_bytes()), "the password is shown");
    assert!(!holds(&received, b"p\0\0\0\x28md5"), "the password's hash is shown");
    let config = Config::parse(&url.replace("require", "prefer")).expect("a valid URL");
    let (result, _) = log_in(&config, packets(bytes, dice));
    assert!(result.is_err() || holds(bytes, b"R\0\0\0\x08\0\0\0\0"), "a login that was not accepted");
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// A message of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    /// The number of columns.
    Columns(u8),
    /// The number of values; the first is NULL.
    Row(u8),
    Complete,
    Error(u8),
    Ready(u8),
    Notice,
    Notification,
    Parameter,
}

impl Message {
    fn of(byte: u8) -> Self {
        let detail = byte / 8 % 4;
        match byte % 8 {
            0 => Self::Columns(detail),
            1 => Self::Row(detail),
            2 => Self::Complete,
            3 => Self::Error(detail),
            4 => Self::Ready(b"ITEI"[usize::from(detail)]),
            5 => Self::Notice,
            6 => Self::Notification,
            _ => Self::Parameter,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let (tag, body): (u8, Vec<u8>) = match *self {
            // A column: its name, table, place, type (text), size, modifier and format.
            Self::Columns(count) => {
                let column = b"a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\x01";
                (b'T', [&[0, count][..], &column.repeat(count.into())].concat())
            }
            Self::Row(count) => {
                let value = |at: u8| {
                    if at == 0 { vec![255; 4] } else { [&[0, 0, 0, at][..], &vec![at; at.into()]].concat() }
                };
                (b'D', [vec![0, count], (0..count).flat_map(value).collect()].concat())
            }
            Self::Complete => (b'C', b"SELECT 1\0".to_vec()),
            Self::Error(code) => (b'E', format!("SERROR\0C5701{code}\0Mno\0\0").into_bytes()),
            Self::Ready(state) => (b'Z', vec![state]),
            Self::Notice => (b'N', b"SNOTICE\0C00000\0Mwell\0\0".to_vec()),
            Self::Notification => (b'A', b"\0\0\0\x07work\0\0".to_vec()),
            Self::Parameter => (b'S', b"in_hot_standby\0off\0".to_vec()),
        };
        let length = u32::try_from(body.len() + 4).expect("a short message").to_be_bytes();
        [&[tag][..], &length, &body].concat()
    }
}

/// The answers, found by the simplest algorithm.
fn expected(messages: &[Message]) -> Vec<Answer> {
    let mut messages = messages.iter();
    let mut answers: Vec<Answer> = Vec::new();
    while answers.len() < STATEMENTS {
        let (mut columns, mut rows, mut refused) = (None, Vec::new(), None);
        let answer = loop {
            match messages.next() {
                Some(Message::Columns(count)) => columns = Some(*count),
                Some(Message::Row(count)) if columns == Some(*count) => {
                    rows.push((0..*count).map(|at| (at > 0).then(|| vec![at; at.into()])).collect());
                }
                Some(Message::Row(_)) => break Err(Answer::Lost),
                Some(Message::Error(code)) => {
                    refused = refused.or(Some(Answer::Refused(format!("5701{code}"))))
                }
                Some(Message::Ready(_)) => break Ok(refused.unwrap_or(Answer::Rows(rows))),
                // A server that ends a connection says why.
                None => break Err(refused.unwrap_or(Answer::Lost)),
                Some(_) => {}
            }
        };
        match answer {
            Ok(answer) => answers.push(answer),
            Err(last) => {
                answers.push(last);
                answers.resize(STATEMENTS, Answer::Lost);
            }
        }
    }
    answers
}

/// Splits bytes into packets.
fn packets(bytes: &[u8], dice: &mut Dice) -> Vec<Vec<u8>> {
    let largest = [1, 3, 100, 20_000][dice.below(4) as usize];
    let (mut rest, mut packets) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (packet, after) = rest.split_at((1 + dice.below(largest) as usize).min(rest.len()));
        packets.push(packet.to_vec());
        rest = after;
    }
    packets
}

fn seeds() -> Vec<Vec<u8>> {
    // Each byte is a message, as above.
    let valid: [&[u8]; 4] = [&[16, 17, 17, 2, 4], &[3, 11, 4, 4, 6, 7, 12], &[5, 8, 9, 17], &[20, 3]];
    let sent = |text: &[u8]| text.iter().flat_map(|byte| Message::of(*byte).bytes()).collect::<Vec<u8>>();
    let logins: [&[u8]; 4] = [
        b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I",
        b"R\0\0\0\x08\0\0\0\x03R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I",
        b"R\0\0\0\x0c\0\0\0\x05saltR\0\0\0\x08\0\0\0\0Z\0\0\0\x05I",
        b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0R\0\0\0\x08\0\0\0\x0b",
    ];
    let mut seeds = Vec::new();
    for (n, text) in (0..).zip(valid) {
        seeds.push([&[0, n][..], text].concat());
        seeds.push([&[1, n][..], &sent(text)].concat());
    }
    seeds.extend((0..).zip(logins).map(|(n, text)| [&[2, n][..], text].concat()));
    seeds
}
