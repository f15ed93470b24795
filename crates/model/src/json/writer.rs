use cutover_core::Zone;

/// The form in which values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    #[default]
    AsSent,
    Canonical,
    Normal {
        from: Zone,
        to: Zone,
    },
}

/// Writes JSON text without white space, members and items in the order given.
///
/// A canonical writer writes numbers by value instead of the digits sent, so that payloads of equal content
/// give equal text (contract D5). A normal writer writes the stored form of an imported payload.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    form: Form,
    /// Set if the next value needs a comma before it.
    comma: bool,
}

impl Writer {
    /// A writer that keeps digits as sent.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer for comparing content, which writes numbers by value.
    pub fn canonical() -> Self {
        Self { form: Form::Canonical, ..Self::default() }
    }

    /// Appends to a buffer.
    pub fn into(self, buffer: Vec<u8>) -> Self {
        Self { out: buffer, ..self }
    }

    /// A writer of the stored form (contract D3): decimals as strings with the digits sent; datetimes with
    /// the offset of the zone `to`, where datetimes without offset are in `from`; without optional members
    /// that are `null` or an empty array.
    pub fn normal(from: Zone, to: Zone) -> Self {
        Self { form: Form::Normal { from, to }, ..Self::default() }
    }

    /// Returns true if numbers are written by value.
    pub fn is_canonical(&self) -> bool {
        self.form == Form::Canonical
    }

    /// The zones of a normal writer: of datetimes without offset, and of the output.
    pub(crate) fn zones(&self) -> Option<(Zone, Zone)> {
        match self.form {
            Form::Normal { from, to } => Some((from, to)),
            Form::AsSent | Form::Canonical => None,
        }
    }

    /// The text written so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
    }

    /// Writes an object; `members` writes its members.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.nested(b'{', b'}', members);
    }

    /// Writes an array; `items` writes its items.
    pub fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.nested(b'[', b']', items);
    }

    fn nested(&mut self, open: u8, close: u8, content: impl FnOnce(&mut Self)) {
        self.separate();
        self.out.push(open);
        self.comma = false;
        content(self);
        self.out.push(close);
        self.comma = true;
    }

    /// Writes the name of a member; its value must follow.
    pub fn name(&mut self, name: &'static str) {
        debug_assert!(!name.bytes().any(is_escaped), "members are named plainly");
        self.out.reserve(name.len() + 4);
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.comma = false;
    }

    /// Writes a string with escapes where needed.
    pub fn string(&mut self, text: &str) {
        self.out.reserve(text.len() + 3);
        self.separate();
        self.out.push(b'"');
        // Few strings need escapes, and a loop without early exit is vectorised.
        if text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
            self.escaped(text);
        } else {
            self.out.extend_from_slice(text.as_bytes());
        }
        self.out.push(b'"');
        self.comma = true;
    }

    fn escaped(&mut self, text: &str) {
        let mut from = 0;
        for (i, byte) in text.bytes().enumerate().filter(|(_, byte)| is_escaped(*byte)) {
            self.out.extend_from_slice(&text.as_bytes()[from..i]);
            self.escape(byte);
            from = i + 1;
        }
        self.out.extend_from_slice(&text.as_bytes()[from..]);
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.out.extend_from_slice(b"\\\""),
            b'\\' => self.out.extend_from_slice(b"\\\\"),
            b'\n' => self.out.extend_from_slice(b"\\n"),
            b'\r' => self.out.extend_from_slice(b"\\r"),
            b'\t' => self.out.extend_from_slice(b"\\t"),
            _ => self.out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
    }

    /// Writes a string of bytes that need no escapes.
    pub(crate) fn plain_string(&mut self, text: &[u8]) {
        debug_assert!(text.is_ascii() && !text.iter().copied().any(is_escaped), "to be escaped");
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
        self.comma = true;
    }

    /// Writes JSON text unchanged: a number, `true`, `null`, free content.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.extend_from_slice(json.as_bytes());
        self.comma = true;
    }
}

/// Returns true if a byte of a string needs an escape.
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}
