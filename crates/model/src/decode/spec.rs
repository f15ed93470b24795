/// What is said of one object in its declaration: it drives decoding and documentation alike.
#[derive(Debug)]
pub struct ObjectSpec {
    /// The name of its type, and of its schema.
    pub ident: &'static str,
    /// The name in the field tables.
    pub name: &'static str,
    /// What the object is.
    pub doc: &'static str,
    /// Its documented members.
    pub fields: &'static [FieldSpec],
}

/// What is said of one member.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The member's name.
    pub name: &'static str,
    /// The name in quotes and a colon, as it stands in a payload.
    pub(crate) quoted: &'static str,
    /// What the member is.
    pub doc: &'static str,
    /// Whether it must be there whenever its object is (fields 1.2).
    pub required: bool,
    /// Whether it may be `null`, which means absent (fields 1.3).
    pub nullable: bool,
    /// Its type on the wire and its limits.
    pub kind: Kind,
    /// Whether it is about a person, with all that is below: `Debug` masks it. `false` says of a text that it
    /// tells nothing of a person, and of an object that its members say it themselves.
    pub is_personal: bool,
}

/// The known values of an open list; any other gives a warning (rules STR-19).
pub type Known = &'static [&'static str];

/// A type on the wire with its limits (fields 1.5). Lengths are in Unicode code points.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string of `min` to `max` characters; `filled` ones may not be blank even if optional.
    Text {
        /// The least length.
        min: u32,
        /// The greatest length; `None` = any.
        max: Option<u32>,
        /// Whether blank is refused though the member is optional.
        filled: bool,
    },
    /// A string of `min` to `max` ASCII digits.
    Digits {
        /// The least number of digits.
        min: u32,
        /// The greatest number of digits.
        max: u32,
    },
    /// A string out of a closed list.
    Choice(&'static [&'static str]),
    /// A string with known values.
    Open {
        /// The greatest length; `None` = any.
        max: Option<u32>,
        /// The known values.
        known: Known,
    },
    /// A string, or a whole number kept as its digits.
    TextOrInteger {
        /// The greatest length.
        max: u32,
    },
    /// A day `YYYY-MM-DD`.
    Date,
    /// A day with a time, with or without offset.
    DateTime,
    /// An exact decimal with so many digits before and after the point, as number or string.
    Decimal {
        /// Digits before the point.
        before: u32,
        /// Digits after the point.
        after: u32,
        /// Whether a value below 0 is refused.
        positive: bool,
    },
    /// A whole number.
    Integer {
        /// The least value.
        min: Option<i64>,
        /// The greatest value.
        max: Option<i64>,
    },
    /// `true` or `false`.
    Boolean,
    /// An object.
    Object(fn() -> &'static ObjectSpec),
    /// A meter point: common members and those of one of seven variants (fields 3).
    MeterPoint,
    /// An array.
    List {
        /// What each item is: never null, never blank.
        item: &'static FieldSpec,
        /// The least number of items.
        min: u32,
        /// The greatest number of items; `None` = the general limit.
        max: Option<u32>,
        /// Whether it is the batch of a post-import request, which has a limit of its own (fields 1.6).
        batch: bool,
    },
    /// Any JSON object, kept as sent.
    FreeObject,
    /// Any JSON array, kept as sent.
    FreeArray,
}

impl FieldSpec {
    /// Whether blank is refused: required texts and those marked so (fields 1.4).
    pub(crate) fn refuses_blank(&self) -> bool {
        self.required || matches!(self.kind, Kind::Text { filled: true, .. } | Kind::Digits { .. })
    }
}
