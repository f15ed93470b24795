use super::{Cause, Check, Decoder, FieldSpec, Part, Sent};
use crate::json::SyntaxErrorKind;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering};

/// Maximum number of items of any array (fields 1.6).
pub const MAX_ITEMS: u32 = 10_000;

/// Maximum number of bytes that the items of a request take in memory for each byte of its body. Arrays nest,
/// and an item without its required members is short in JSON and large in memory. Among the shortest valid
/// items, property administrators without members take most: 40.
pub const MAX_EXPANSION: usize = 48;

/// Additional bytes for each item that an array may have: items of arrays that occur once in an account may
/// be larger.
const ROOM_AN_ITEM: usize = 1_024;

/// Limits that the operator can set (fields 1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items of the `notes`, `transactions` or `statements` of a post-import request.
    pub batch_items: u32,
    /// Items of any other array.
    pub items: u32,
    /// Bytes of memory for the items of a request, where [`MAX_EXPANSION`] would allow more. A valid payload that takes more
    /// is refused with `too_many_items`.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { batch_items: 1_000, items: MAX_ITEMS, memory: usize::MAX }
    }
}

impl Limits {
    /// Maximum number of bytes that the items of a body of this length take in memory.
    pub fn room(self, length: usize) -> usize {
        // An item takes at least two bytes of a body with its comma.
        let once = (self.items as usize).min(length / 2).saturating_mul(ROOM_AN_ITEM);
        length.saturating_mul(MAX_EXPANSION).saturating_add(once).min(self.memory)
    }
}

/// For each member of an object, the member that followed it in the last decoded object.
///
/// Producers write members in a fixed order, so the guess is nearly always right. All threads share it: a
/// wrong guess costs only a lookup.
#[derive(Debug)]
pub(crate) struct Hints([AtomicU8; 64]);

impl Hints {
    /// The declared order.
    pub(crate) const fn new() -> Self {
        let mut order = [const { AtomicU8::new(0) }; 64];
        let mut i = 0;
        while i < 64 {
            order[i] = AtomicU8::new(i as u8);
            i += 1;
        }
        Self(order)
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        usize::from(self.0[place & 63].load(Ordering::Relaxed))
    }

    /// Writes only on a change, because other threads read the same cache line.
    fn learn(&self, place: usize, next: usize) {
        if self.after(place) != next {
            self.0[place & 63].store(next as u8, Ordering::Relaxed);
        }
    }
}

/// A draft of an object. Implemented by the declarations of `payload`.
pub(crate) trait Draft<'j>: Members<'j> + Default {
    /// The declarations of the members, at most 62.
    const FIELDS: &'static [FieldSpec];

    /// A bit for each required member.
    const REQUIRED: u64 = required_mask(Self::FIELDS);

    /// The learned order of members.
    fn hints() -> &'static Hints;
}

/// The target of decoding the members of an object.
pub(crate) trait Members<'j> {
    /// Decodes the next value as this member.
    fn decode_member(&mut self, index: usize, decoder: &mut Decoder<'j>) -> Result<(), SyntaxErrorKind>;

    /// The check to report for an undocumented member, called once per name.
    fn undocumented(&mut self, _name: &str) -> Option<&'static Check> {
        Some(&Check::UNKNOWN_FIELD)
    }

    /// Returns true if the paths of findings inside this member omit it: the payload of the envelope.
    fn is_transparent(&self, _index: usize) -> bool {
        false
    }
}

/// The static description of the members of an object.
#[derive(Clone, Copy)]
struct Shape {
    fields: &'static [FieldSpec],
    required: u64,
    hints: &'static Hints,
}

impl<'j> Decoder<'j> {
    /// Decodes the next object into its draft and reports all its faults.
    pub(crate) fn members<T: Draft<'j>>(&mut self, draft: &mut T) -> Result<(), SyntaxErrorKind> {
        self.members_of(draft, Shape { fields: T::FIELDS, required: T::REQUIRED, hints: T::hints() })
    }

    /// The loop for all kinds of objects, not generic to be compiled only once.
    #[inline(never)]
    fn members_of(&mut self, draft: &mut dyn Members<'j>, shape: Shape) -> Result<(), SyntaxErrorKind> {
        let start = self.findings.count();
        let mut seen = 0u64;
        let mut unknown_names = None;
        let mut place = 0;
        let mut more = self.cursor.open_object()?;
        while more {
            match self.next_member(shape, place)? {
                Ok(index) => {
                    self.member(draft, shape.fields, index, &mut seen, start)?;
                    place = index + 1;
                }
                Err(name) => {
                    self.unknown_member(draft, shape.fields, name, &mut unknown_names)?;
                    self.findings.thin(start);
                }
            }
            more = self.cursor.more_members()?;
        }
        if shape.required & !seen != 0 {
            self.missing(shape.fields, shape.required & !seen);
        }
        Ok(())
    }

    /// Reads the next name: `Ok` with the index of a documented member, otherwise `Err` with the name.
    #[inline]
    fn next_member(
        &mut self,
        shape: Shape,
        place: usize,
    ) -> Result<Result<usize, Cow<'j, str>>, SyntaxErrorKind> {
        let guess = shape.hints.after(place);
        match shape.fields.get(guess) {
            Some(field) if self.cursor.take_name(field.quoted) => Ok(Ok(guess)),
            _ => self.other_member(shape, place),
        }
    }

    #[inline(never)]
    fn other_member(
        &mut self,
        shape: Shape,
        place: usize,
    ) -> Result<Result<usize, Cow<'j, str>>, SyntaxErrorKind> {
        let name = self.cursor.name()?;
        let index = shape.fields.iter().position(|field| field.name == name);
        Ok(index.inspect(|index| shape.hints.learn(place, *index)).ok_or(name))
    }

    #[inline]
    fn member(
        &mut self,
        draft: &mut dyn Members<'j>,
        fields: &'static [FieldSpec],
        index: usize,
        seen: &mut u64,
        start: usize,
    ) -> Result<(), SyntaxErrorKind> {
        let bit = 1 << index;
        if *seen & bit != 0 {
            let part = Part::Name(fields[index].name);
            self.findings.add_at(part, &Check::DUPLICATE_FIELD, Cause::default());
            self.findings.thin(start);
            return self.cursor.skip();
        }
        *seen |= bit;
        let count = self.findings.count();
        draft.decode_member(index, self)?;
        if self.findings.count() > count {
            let part = Part::Name(fields[index].name);
            self.findings.place(count, &part, draft.is_transparent(index), Some(&fields[index]));
            self.findings.thin(start);
        }
        Ok(())
    }

    #[cold]
    fn unknown_member(
        &mut self,
        draft: &mut dyn Members<'j>,
        fields: &'static [FieldSpec],
        name: Cow<'j, str>,
        unknown_names: &mut Option<HashSet<Cow<'j, str>>>,
    ) -> Result<(), SyntaxErrorKind> {
        let unknown_names = unknown_names.get_or_insert_default();
        let repeated = unknown_names.contains(&name);
        let check = if repeated { Some(&Check::DUPLICATE_FIELD) } else { draft.undocumented(&name) };
        if let Some(check) = check {
            let cause = Cause { spec: None, sent: Sent::Among(fields) };
            self.findings.add_at(Part::foreign(name.clone()), check, cause);
        }
        unknown_names.insert(name);
        self.cursor.skip()
    }

    #[cold]
    fn missing(&mut self, fields: &'static [FieldSpec], missing: u64) {
        for (_, field) in fields.iter().enumerate().filter(|(i, _)| missing & (1 << i) != 0) {
            let part = Part::Name(field.name);
            self.findings.add_at(part, &Check::REQUIRED, Cause::of(field, Sent::Other));
        }
    }
}

/// A bit for each required member of a declaration.
const fn required_mask(fields: &[FieldSpec]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < fields.len() {
        mask |= (fields[i].required as u64) << i;
        i += 1;
    }
    mask
}
