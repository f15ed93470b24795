use super::{Cause, Check, Decoder, Field, FieldSpec, Part, Sent};
use crate::json::{Next, SyntaxErrorKind};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering};

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

    /// The check to report for an undocumented member of an object with these documented ones, and what its text
    /// is written from. Called once per name.
    fn undocumented(&mut self, _name: &str, fields: &'static [FieldSpec]) -> Option<(&'static Check, Sent)> {
        Some((&Check::UNKNOWN_FIELD, Sent::Among(fields)))
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

    /// Decodes the next value as an object member, in place.
    pub(crate) fn object<T: Draft<'j>>(
        &mut self,
        into: &mut Field<T>,
        spec: &'static FieldSpec,
    ) -> Result<(), SyntaxErrorKind> {
        match self.cursor.peek()? {
            Next::Object => {
                *into = Field::Value(T::default());
                if let Field::Value(draft) = into {
                    self.members(draft)?;
                }
            }
            Next::Null => *into = self.null(spec)?,
            _ => {
                self.refuse::<()>(&Check::INVALID)?;
                *into = Field::Faulty;
            }
        }
        Ok(())
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
        let index = shape.fields.iter().position(|field| field.name == name || field.former == Some(&*name));
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
        let fault = match repeated {
            true => Some((&Check::DUPLICATE_FIELD, Sent::Among(fields))),
            false => draft.undocumented(&name, fields),
        };
        if let Some((check, sent)) = fault {
            let cause = Cause { spec: None, sent };
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
