use super::{Check, Decoder, FieldSpec, Part};
use crate::json::SyntaxErrorKind;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering};

/// How many items any array may have (fields 1.6).
pub const MAX_ITEMS: u32 = 10_000;

/// How many items all arrays of a request may have together (ours; a limit in the sense of rules STR-14).
pub const MAX_ALL_ITEMS: u32 = 100_000;

/// Limits that the operator can set (fields 1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items of the `notes`, `transactions` or `statements` of a post-import request.
    pub batch_items: u32,
    /// Items of any other array.
    pub items: u32,
    /// Items of all arrays of a request together: nested arrays multiply, and memory is bounded.
    pub all_items: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { batch_items: 1_000, items: MAX_ITEMS, all_items: MAX_ALL_ITEMS }
    }
}

/// For each member of an object: which one followed it the last time such an object was decoded.
///
/// Producers keep the order of members, so the guess nearly always holds. Shared by all threads: a
/// wrong guess costs a lookup, nothing else.
#[derive(Debug)]
pub(crate) struct Hints([AtomicU8; 64]);

impl Hints {
    /// Declared order.
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

    #[cold]
    fn learn(&self, place: usize, next: usize) {
        self.0[place & 63].store(next as u8, Ordering::Relaxed);
    }
}

/// An object while it is decoded and checked. Implemented by the declarations of `payload`.
pub(crate) trait Draft<'j>: Default {
    /// How many members are documented; at most 62.
    const COUNT: usize;

    /// A bit for each required member.
    const REQUIRED: u64;

    /// The declarations of the members that are its own.
    const FIELDS: &'static [FieldSpec];

    /// The declaration of a member.
    #[inline]
    fn field(index: usize) -> &'static FieldSpec {
        &Self::FIELDS[index]
    }

    /// The member of a name.
    fn find(name: &str) -> Option<usize>;

    /// The learned order.
    fn hints() -> &'static Hints;

    /// Decodes the value that comes next as this member.
    fn decode_member(&mut self, index: usize, decoder: &mut Decoder<'j>) -> Result<(), SyntaxErrorKind>;

    /// What is to be said of a member that is not documented for this object; asked once a name.
    fn undocumented(&mut self, _name: &str) -> Option<&'static Check> {
        Some(&Check::UNKNOWN_FIELD)
    }

    /// Whether findings inside this member are placed at the object itself: the envelope's payload.
    fn is_transparent(_index: usize) -> bool {
        false
    }
}

impl<'j> Decoder<'j> {
    /// Decodes the object that comes next into its draft, all members and all faults of it.
    pub(crate) fn members<T: Draft<'j>>(&mut self, draft: &mut T) -> Result<(), SyntaxErrorKind> {
        let start = self.findings.count();
        let hints = T::hints();
        let mut seen = 0u64;
        let mut strangers = None;
        let mut place = 0;
        let mut more = self.cursor.open_object()?;
        while more {
            let guess = hints.after(place);
            if guess < T::COUNT && self.cursor.take_name(T::field(guess).quoted)? {
                place = self.member(draft, guess, &mut seen)?;
            } else {
                let name = self.cursor.name()?;
                if let Some(index) = T::find(&name) {
                    hints.learn(place, index);
                    place = self.member(draft, index, &mut seen)?;
                } else {
                    self.stranger(draft, name, &mut strangers)?;
                }
            }
            self.findings.thin(start);
            more = self.cursor.more_members()?;
        }
        if T::REQUIRED & !seen != 0 {
            self.missing::<T>(T::REQUIRED & !seen);
        }
        Ok(())
    }

    #[inline]
    fn member<T: Draft<'j>>(
        &mut self,
        draft: &mut T,
        index: usize,
        seen: &mut u64,
    ) -> Result<usize, SyntaxErrorKind> {
        let field = T::field(index);
        if *seen & (1 << index) != 0 {
            self.findings.add_at(Part::Name(Cow::Borrowed(field.name)), &Check::DUPLICATE_FIELD);
            self.cursor.skip()?;
            return Ok(index + 1);
        }
        *seen |= 1 << index;
        let count = self.findings.count();
        draft.decode_member(index, self)?;
        if self.findings.count() > count {
            self.findings.place(count, &Part::Name(Cow::Borrowed(field.name)), T::is_transparent(index));
        }
        Ok(index + 1)
    }

    #[cold]
    fn stranger<T: Draft<'j>>(
        &mut self,
        draft: &mut T,
        name: Cow<'j, str>,
        strangers: &mut Option<HashSet<Cow<'j, str>>>,
    ) -> Result<(), SyntaxErrorKind> {
        let strangers = strangers.get_or_insert_default();
        let repeated = strangers.contains(&name);
        let check = if repeated { Some(&Check::DUPLICATE_FIELD) } else { draft.undocumented(&name) };
        if let Some(check) = check {
            self.findings.add_at(Part::foreign(name.clone()), check);
        }
        strangers.insert(name);
        self.cursor.skip()
    }

    #[cold]
    fn missing<T: Draft<'j>>(&mut self, missing: u64) {
        for index in (0..T::COUNT).filter(|i| missing & (1 << i) != 0) {
            self.findings.add_at(Part::Name(Cow::Borrowed(T::field(index).name)), &Check::REQUIRED);
        }
    }
}

/// A bit for each required member of a declaration.
pub(crate) const fn required_mask(fields: &[FieldSpec]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < fields.len() {
        mask |= (fields[i].required as u64) << i;
        i += 1;
    }
    mask
}
