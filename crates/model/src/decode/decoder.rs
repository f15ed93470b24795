use super::{Check, Field, FieldSpec, Findings, Limits, Sent};
use crate::json::{Cursor, SyntaxError, SyntaxErrorKind};
use cutover_core::Zone;

/// The state of one pass over a payload: the cursor, the findings so far and the settings.
#[derive(Debug)]
pub(crate) struct Decoder<'j> {
    pub(crate) cursor: Cursor<'j>,
    pub(crate) findings: Findings<'j>,
    /// Zone of datetimes without offset (fields 1.5).
    pub(crate) zone: Zone,
    pub(crate) limits: Limits,
    /// Number of bytes left for items.
    pub(crate) room: usize,
    /// Set once items were checked but not stored for lack of room.
    pub(crate) is_overfull: bool,
    /// Set once the verdict on a datetime depended on the zone.
    pub(crate) zone_matters: bool,
    /// If set, decimals may have any number of digits: stored sums are read back.
    pub(crate) any_digits: bool,
}

/// A type that a member can have.
pub(crate) trait Leaf<'j>: Sized {
    /// Fast path: decodes the next value if it has the usual form and no fault. Otherwise the cursor does not
    /// move.
    #[inline]
    fn usual(_: &mut Decoder<'j>, _: &'static FieldSpec) -> Option<Self> {
        None
    }

    /// Decodes the next value, which is not `null` and begins at the cursor. Returns `None` after adding a
    /// finding if it is faulty.
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Result<Option<Self>, SyntaxErrorKind>;
}

impl<'j> Decoder<'j> {
    pub(crate) fn new(bytes: &'j [u8], zone: Zone, limits: Limits) -> Result<Self, SyntaxError> {
        let cursor = Cursor::new(bytes)?;
        Ok(Self {
            cursor,
            findings: Findings::default(),
            zone,
            room: limits.room(bytes.len()),
            is_overfull: false,
            limits,
            zone_matters: false,
            any_digits: false,
        })
    }

    /// Decodes the next value as a member.
    #[inline(never)]
    pub(crate) fn leaf<T: Leaf<'j>>(
        &mut self,
        into: &mut Field<T>,
        spec: &'static FieldSpec,
    ) -> Result<(), SyntaxErrorKind> {
        let next = self.cursor.skip_space();
        if let Some(value) = T::usual(self, spec) {
            *into = Field::Value(value);
            return Ok(());
        }
        if next == b'n' {
            *into = self.null(spec)?;
            return Ok(());
        }
        *into = match T::decode(self, spec)? {
            Some(value) => Field::Value(value),
            None => Field::Faulty,
        };
        Ok(())
    }

    /// Skips the next value, which is `null`, with a finding unless the member may be null.
    pub(super) fn null<T>(&mut self, spec: &'static FieldSpec) -> Result<Field<T>, SyntaxErrorKind> {
        self.cursor.skip()?;
        if spec.nullable {
            return Ok(Field::Null);
        }
        self.findings.add(&Check::NULL, Sent::Other);
        Ok(Field::Faulty)
    }

    /// Skips the next value with a finding at it, whose text names the JSON type of the value. The declaration
    /// is added with the path.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse<T>(&mut self, check: &'static Check) -> Result<Option<T>, SyntaxErrorKind> {
        let sent = Sent::Type(self.cursor.peek()?);
        self.cursor.skip()?;
        self.findings.add(check, sent);
        Ok(None)
    }

    /// Adds a finding at the value just read.
    #[cold]
    #[inline(never)]
    pub(crate) fn fault<T>(
        &mut self,
        check: &'static Check,
        sent: Sent,
    ) -> Result<Option<T>, SyntaxErrorKind> {
        self.findings.add(check, sent);
        Ok(None)
    }
}
