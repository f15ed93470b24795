use super::Target;
use bytes::Bytes;
use cutover_http::fuzzing::{Framed, Taken, framed};
use cutover_testkit::payload::Dice;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::LazyLock;
use tokio::runtime::{Builder, Runtime};

/// Lines of bulk requests.
pub(crate) const TARGET: Target = Target {
    name: "framing",
    description: "lines of bulk requests, plain, compressed and as broken gzip: the same lines for any chunks, in bounded memory",
    run,
    seeds,
    words: &["\n", "\n\n", "\r\n", " \t\n", "\x1f\u{8b}\x08"],
    max: 32 << 10,
    executions: 30_000,
};

/// Maximum memory for decompressing one slice of a compressed body, held twice: by the decoder and by the
/// reader.
const UNPACKED: usize = 2 * (4 << 10) * 1_100;

/// Form in which an input is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Packed,
    /// The input is sent as gzip, valid or not.
    AsGzip,
}

fn run(input: &[u8]) {
    let [form, limit, seed, text @ ..] = input else { return };
    let form = [Form::Plain, Form::Packed, Form::AsGzip][usize::from(*form) % 3];
    let limit = usize::from(*limit) + 1;
    let sent = if form == Form::Packed { gzip(text) } else { text.to_vec() };
    let whole = take(vec![Bytes::from(sent.clone())], form, limit);
    let cut = take(chunks(&sent, &mut Dice::new(u64::from(*seed))), form, limit);
    if form != Form::AsGzip {
        assert!(whole.is_whole && whole.lines == lines(text, limit), "the lines differ from those sent");
    }
    assert_eq!(whole.is_whole, cut.is_whole, "the end depends on the chunks");
    let both = whole.lines.len().min(cut.lines.len());
    assert!(whole.lines[..both] == cut.lines[..both], "the lines depend on the chunks");
    assert!(
        !whole.is_whole || whole.lines.len() == cut.lines.len(),
        "the number of lines depends on the chunks"
    );
}

fn take(chunks: Vec<Bytes>, form: Form, limit: usize) -> Framed {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));
    let largest = chunks.iter().map(Bytes::len).max().unwrap_or_default();
    let room = 4 * limit + 4 * largest + 64 + if form == Form::Plain { 0 } else { UNPACKED };
    let framed = RUNTIME.block_on(framed(chunks, form != Form::Plain, limit, room));
    assert!(!framed.lines.contains(&Taken::NoRoom), "more than {room} bytes were held");
    framed
}

/// Lines of a text, found by the simplest algorithm.
fn lines(text: &[u8], limit: usize) -> Vec<Taken> {
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let numbered = (1..).zip(text.split(|byte| *byte == b'\n'));
    let taken = |(number, line): (u64, &[u8])| match line {
        long if long.len() > limit => Some(Taken::TooLong(number)),
        blank if is_blank(blank) => None,
        line => Some(Taken::Line(number, line.to_vec())),
    };
    numbered.filter_map(taken).collect()
}

/// Splits bytes into random chunks, some of them empty.
fn chunks(bytes: &[u8], dice: &mut Dice) -> Vec<Bytes> {
    let largest = [1, 2, 7, 100, 5_000][dice.below(5) as usize];
    let (mut rest, mut chunks) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((dice.below(largest + 1) as usize).min(rest.len()));
        chunks.push(Bytes::copy_from_slice(chunk));
        rest = after;
    }
    chunks
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("writing to memory succeeds")
}

fn seeds() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 7] = [
        b"",
        b"{\"a\":1}\n{\"b\":2}\r\n\n \t\n{\"c\":3}",
        b"\n\n\n",
        &[b'x'; 300],
        b"short\nthis line is much longer than the limit of some of these seeds\nshort again\n",
        &[b"x".repeat(10_000), b"\ny\n".to_vec()].concat(),
        &b"a\n".repeat(2_000),
    ];
    let mut seeds = Vec::new();
    for (n, text) in (0..).zip(texts) {
        for (form, text) in [(0, text.to_vec()), (1, text.to_vec()), (2, gzip(text))] {
            seeds.push([&[form, 20 * n, n][..], &text].concat());
        }
        let two = [gzip(text), gzip(b"\nmore\n")].concat();
        let cut = gzip(text)[..gzip(text).len() - 3].to_vec();
        let more = [gzip(text), b"more".to_vec()].concat();
        seeds.extend([two, cut, more].map(|text| [&[2, 200, n][..], &text].concat()));
    }
    seeds
}
