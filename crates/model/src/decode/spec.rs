/// The declaration of an object, which drives decoding and documentation.
#[derive(Debug)]
pub struct ObjectSpec {
    /// The name of its type, and of its schema.
    pub ident: &'static str,
    /// The name in the field tables.
    pub name: &'static str,
    /// The description of the object.
    pub doc: &'static str,
    /// The table that has a row for each such object; `None` if the object is part of another's row.
    pub table: Option<&'static str>,
    /// The member whose value identifies the object among those of its parent, if there is one.
    pub key: Option<&'static str>,
    /// Its documented members.
    pub fields: &'static [FieldSpec],
}

/// The declaration of a member.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The member's name.
    pub name: &'static str,
    /// The name in quotes with a colon, as in a payload.
    pub(crate) quoted: &'static str,
    /// A name that it is also read under.
    pub(crate) former: Option<&'static str>,
    /// The description of the member.
    pub doc: &'static str,
    /// If set, the member must be present whenever its object is (fields 1.2).
    pub required: bool,
    /// If set, the member may be `null`, which means absent (fields 1.3).
    pub nullable: bool,
    /// The JSON type and the limits.
    pub kind: Kind,
    /// If set, the member and everything below it is personal and masked by `Debug`. If not, a text says
    /// nothing about a person, and the members of an object have their own flags.
    pub is_personal: bool,
    /// If set, the member is a text that names something outside of the payload: a document, a contract, a tariff or a
    /// meter point. Operators see it beside its faults, see [`references`](fn@crate::references).
    pub is_reference: bool,
}

/// The known values of an open list; any other gives a warning (rule STR-19).
pub type Known = &'static [&'static str];

/// Words of a closed list that are codes, each with its meaning: a few words, as in "`M` = metric".
pub type Meanings = &'static [(&'static str, &'static str)];

/// A JSON type with its limits (fields 1.5). Lengths are in Unicode code points.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string of `min` to `max` characters; `filled` ones may not be blank even if optional.
    Text {
        /// The least length.
        min: u32,
        /// The greatest length; `None` = any.
        max: Option<u32>,
        /// If set, blank texts are refused although the member is optional.
        filled: bool,
    },
    /// A string of `min` to `max` ASCII digits.
    Digits {
        /// The least number of digits.
        min: u32,
        /// The greatest number of digits.
        max: u32,
    },
    /// A string of a closed list.
    Choice {
        /// The words of the list.
        words: &'static [&'static str],
        /// The meanings of those that are codes.
        meanings: Meanings,
    },
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
    /// An exact decimal with limited digits before and after the point, as number or string.
    Decimal {
        /// Digits before the point.
        before: u32,
        /// Digits after the point.
        after: u32,
        /// If set, values below 0 are refused.
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
        /// The declaration of the items, which may be neither null nor blank.
        item: &'static FieldSpec,
        /// The least number of items.
        min: u32,
        /// The greatest number of items; `None` = the general limit.
        max: Option<u32>,
        /// If set, the array is the batch of a post-import request, which has its own limit (fields 1.6).
        batch: bool,
    },
    /// Any JSON object, kept as sent.
    FreeObject,
    /// Any JSON array, kept as sent.
    FreeArray,
}

impl FieldSpec {
    /// Returns the description of the member on one line, with the meanings of its codes.
    pub(crate) fn described(&self) -> String {
        let doc = self.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let Kind::Choice { meanings, .. } = self.kind else { return doc };
        if meanings.is_empty() {
            return doc;
        }
        let codes: Vec<String> =
            meanings.iter().map(|(code, meaning)| format!("`{code}` = {meaning}")).collect();
        format!("{doc} {}.", codes.join(", "))
    }

    /// Returns true if blank texts are refused: required ones and those marked so (fields 1.4).
    pub(crate) fn refuses_blank(&self) -> bool {
        self.required || matches!(self.kind, Kind::Text { filled: true, .. } | Kind::Digits { .. })
    }
}
