//! Determines the variant of a meter point: it is guessed and decoded, and decoded again if the guess was
//! wrong.

use super::draft::{MeterPoint, MeterPointCommon, Variant};
use super::{FIELDS, PREFERENCE, decode_as};
use crate::choices::SupplyType;
use crate::decode::{
    Cause, Check, Decoder, Draft, Field, FieldSpec, Hints, Item, Members, Part, Sent, Slots,
};
use crate::json::{Next, SyntaxErrorKind};
use crate::value::{Choice, Text};

/// A set of variants: a bit for each, in preference order.
type Marks = u8;

/// The variants for which a member is documented.
const fn marks(name: &str) -> Marks {
    let mut marks = 0;
    let mut variant = 0;
    while variant < FIELDS.len() {
        let mut i = 0;
        while i < FIELDS[variant].len() {
            if same(FIELDS[variant][i].name, name) {
                marks |= 1 << variant;
            }
            i += 1;
        }
        variant += 1;
    }
    marks
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len()
}

/// The names of the kinds of meter point that document a member, in preference order.
fn kinds_with(name: &str) -> Vec<&'static str> {
    let marks = marks(name);
    let kinds = PREFERENCE.into_iter().enumerate().filter(|(kind, _)| marks >> kind & 1 == 1);
    kinds.map(|(_, kind)| kind.as_str()).collect()
}

/// For each variant, the number of sent members that it documents (fields 3.1, step 3).
#[derive(Debug, Default)]
struct Matches([u32; 7]);

impl Matches {
    fn add(&mut self, marks: Marks) {
        for (variant, count) in self.0.iter_mut().enumerate() {
            *count += u32::from(marks >> variant & 1);
        }
    }

    /// The first variant with the most matches; `None` if nothing matched.
    fn best(&self) -> Option<SupplyType> {
        let most = *self.0.iter().max()?;
        let first = self.0.iter().position(|count| *count == most)?;
        (most > 0).then_some(PREFERENCE[first])
    }
}

/// A meter point decoded as one variant, and the variant that its members determine.
pub(super) struct Decoded<'j> {
    point: MeterPoint<'j>,
    kind: Option<SupplyType>,
    /// True if nothing sent determines the variant (rule SUP-03).
    assumed: bool,
}

/// The draft of a meter point: common members first, then those of the variant.
struct Point<'j, V> {
    common: MeterPointCommon<'j>,
    own: V,
    matches: Matches,
}

impl<V: Default> Default for Point<'_, V> {
    fn default() -> Self {
        Self { common: MeterPointCommon::default(), own: V::default(), matches: Matches::default() }
    }
}

/// The variant of a meter point with a faulty `supply_type`, which has no members of its own.
#[derive(Debug, Default)]
pub(super) struct Undecided;

impl<'j> Draft<'j> for Undecided {
    const FIELDS: &'static [FieldSpec] = &[];

    fn hints() -> &'static Hints {
        static HINTS: Hints = Hints::new();
        &HINTS
    }
}

impl<'j> Members<'j> for Undecided {
    fn decode_member(&mut self, _: usize, decoder: &mut Decoder<'j>) -> Result<(), SyntaxErrorKind> {
        decoder.cursor.skip()
    }

    fn undocumented(&mut self, name: &str, fields: &'static [FieldSpec]) -> Option<(&'static Check, Sent)> {
        // The variant is unknown, so only members of no variant are faults.
        (marks(name) == 0).then_some((&Check::UNKNOWN_FIELD, Sent::Among(fields)))
    }
}

/// The common members.
const COMMON: &[FieldSpec] = super::MeterPointCommon::SPEC.fields;

impl<'j, V: Draft<'j>> Point<'j, V> {
    /// The common members, those of the variant, and padding.
    const ALL: [FieldSpec; 62] = {
        let mut all = [COMMON[0]; 62];
        let (common, rest) = all.split_at_mut(COMMON.len());
        common.copy_from_slice(COMMON);
        rest.split_at_mut(V::FIELDS.len()).0.copy_from_slice(V::FIELDS);
        all
    };

    /// For each member of the variant, the variants that document it.
    const MARKS: [Marks; 64] = {
        let mut all = [0; 64];
        let mut i = 0;
        while i < V::FIELDS.len() {
            all[i] = marks(V::FIELDS[i].name);
            i += 1;
        }
        all
    };
}

impl<'j, V: Draft<'j>> Draft<'j> for Point<'j, V> {
    const FIELDS: &'static [FieldSpec] = Self::ALL.split_at(COMMON.len() + V::FIELDS.len()).0;

    fn hints() -> &'static Hints {
        V::hints()
    }
}

impl<'j, V: Draft<'j>> Members<'j> for Point<'j, V> {
    fn decode_member(&mut self, index: usize, decoder: &mut Decoder<'j>) -> Result<(), SyntaxErrorKind> {
        match index.checked_sub(COMMON.len()) {
            None => self.common.decode_member(index, decoder),
            Some(own) => {
                self.matches.add(Self::MARKS[own]);
                self.own.decode_member(own, decoder)
            }
        }
    }

    fn undocumented(&mut self, name: &str, fields: &'static [FieldSpec]) -> Option<(&'static Check, Sent)> {
        let marks = marks(name);
        self.matches.add(marks);
        let own = self.own.undocumented(name, fields)?;
        let of_other_kinds = (&Check::NOT_ALLOWED_FOR_SUPPLY_TYPE, Sent::OfOtherKinds(kinds_with));
        Some(if marks == 0 { own } else { of_other_kinds })
    }
}

pub(super) fn decode_point<'j, V: Draft<'j>>(
    decoder: &mut Decoder<'j>,
    variant: fn(V) -> Variant<'j>,
) -> Result<Decoded<'j>, SyntaxErrorKind> {
    let mut point = Point::<V>::default();
    decoder.members(&mut point)?;
    let (decided, assumed) = match (&point.common.supply_type, named_by(&point.common.mpxn)) {
        (Field::Value(supply_type), _) => (Some(*supply_type), false),
        (Field::Absent, Some(supply_type)) => (Some(supply_type), false),
        (Field::Absent, None) => match point.matches.best() {
            Some(supply_type) => (Some(supply_type), false),
            None => (Some(SupplyType::Electricity), true),
        },
        (Field::Null | Field::Faulty, _) => (None, false),
    };
    Ok(Decoded {
        point: MeterPoint { common: point.common, variant: variant(point.own) },
        kind: decided,
        assumed,
    })
}

/// The variant that the prefix of an `mpxn` names (fields 3.1, step 2).
fn named_by(mpxn: &Field<Text<'_>>) -> Option<SupplyType> {
    match mpxn {
        Field::Value(mpxn) => prefix(mpxn.trimmed()),
        _ => None,
    }
}

fn prefix(mpxn: &str) -> Option<SupplyType> {
    // Nearly all are numbers, and no prefix begins with a digit.
    if mpxn.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let named =
        |kind: &&SupplyType| mpxn.strip_prefix(kind.as_str()).is_some_and(|rest| rest.starts_with('_'));
    PREFERENCE.iter().filter(|kind| kind.as_str().contains('_')).find(named).copied()
}

/// Looks ahead for members that determine the variant. A wrong guess costs only time.
fn guess(decoder: &mut Decoder<'_>) -> Result<SupplyType, SyntaxErrorKind> {
    let start = decoder.cursor.mark();
    let mut candidates = Marks::MAX >> 1;
    let depth = decoder.cursor.depth();
    let mut more = decoder.cursor.open_object()?;
    while more && candidates.count_ones() > 1 {
        let name = decoder.cursor.name()?;
        let next = decoder.cursor.peek()?;
        let named = match (&*name, next) {
            ("supply_type", Next::String) => SupplyType::of(&decoder.cursor.string()?),
            ("mpxn", Next::String) => prefix(cutover_core::trimmed(&decoder.cursor.string()?)),
            ("meters", _) => break,
            _ => {
                decoder.cursor.skip()?;
                None
            }
        };
        if let Some(kind) = named {
            decoder.cursor.rewind(start, depth);
            return Ok(kind);
        }
        if !COMMON.iter().any(|field| field.name == name) {
            candidates = match candidates & marks(&name) {
                0 => candidates,
                fewer => fewer,
            };
        }
        more = decoder.cursor.more_members()?;
    }
    decoder.cursor.rewind(start, depth);
    Ok(PREFERENCE[candidates.trailing_zeros() as usize])
}

impl<'j> Slots<'j> for MeterPoint<'j> {
    fn decode_item(
        items: &mut Vec<Item<Self>>,
        decoder: &mut Decoder<'j>,
        _: &'static FieldSpec,
    ) -> Result<(), SyntaxErrorKind> {
        let check = match decoder.cursor.peek()? {
            Next::Object => {
                items.push(Item::Value(decode(decoder)?));
                return Ok(());
            }
            Next::Null => &Check::NULL,
            _ => &Check::INVALID,
        };
        decoder.refuse::<()>(check)?;
        items.push(Item::Faulty);
        Ok(())
    }
}

fn decode<'j>(decoder: &mut Decoder<'j>) -> Result<MeterPoint<'j>, SyntaxErrorKind> {
    let (start, depth, count) = (decoder.cursor.mark(), decoder.cursor.depth(), decoder.findings.count());
    let guessed = Some(guess(decoder)?);
    let room = decoder.room;
    let mut decoded = decode_as(decoder, guessed)?;
    if decoded.kind != guessed {
        let kind = decoded.kind;
        drop(decoded);
        decoder.room = room;
        decoder.cursor.rewind(start, depth);
        decoder.findings.forget(count);
        decoded = decode_as(decoder, kind)?;
    }
    if decoded.assumed {
        decoder.findings.add(&Check::SUPPLY_TYPE_ASSUMED, Sent::Other);
    }
    let common = &decoded.point.common;
    if let (Field::Value(said), Some(named)) = (&common.supply_type, named_by(&common.mpxn))
        && *said != named
    {
        decoder.findings.add_at(Part::Name("supply_type"), &Check::SUPPLY_TYPE_MISMATCH, Cause::default());
    }
    Ok(decoded.point)
}
