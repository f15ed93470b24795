use super::decoder::Leaf;
use super::{Blank, Check, Decoder, Draft, Field, FieldSpec, Kind, MAX_FINDINGS, Part, Sent};
use crate::json::{Next, SyntaxErrorKind};

/// An array of a draft: usable items at their indexes, and gaps for faulty ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub(crate) Vec<Item<T>>);

/// An item of a [`List`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<T> {
    /// The item is usable.
    Value(T),
    /// The item is `null` or has the wrong type, which was reported.
    Faulty,
}

impl<T> List<T> {
    /// Number of items sent, including faulty ones.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if no item was sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The usable items with their indexes.
    pub fn usable(&self) -> impl DoubleEndedIterator<Item = (u32, &T)> {
        self.0.iter().enumerate().filter_map(|(i, item)| match item {
            Item::Value(value) => Some((i as u32, value)),
            Item::Faulty => None,
        })
    }

    /// The indexes of the faulty items.
    pub(crate) fn faulty(&self) -> impl Iterator<Item = u32> {
        let faulty = self.0.iter().enumerate().filter(|(_, item)| matches!(item, Item::Faulty));
        faulty.map(|(i, _)| i as u32)
    }

    /// Returns true if every item is usable: rules about totals need all items (rules 1.3).
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(|item| matches!(item, Item::Value(_)))
    }

    pub(crate) fn into_all(self) -> Option<Vec<T>> {
        let usable = |item| match item {
            Item::Value(value) => Some(value),
            Item::Faulty => None,
        };
        self.0.into_iter().map(usable).collect()
    }
}

impl<T> Blank for List<T> {}

/// Decoding of the items of a list: leaves by value, objects in place.
pub(crate) trait Slots<'j>: Sized {
    fn decode_item(
        items: &mut Vec<Item<Self>>,
        decoder: &mut Decoder<'j>,
        spec: &'static FieldSpec,
    ) -> Result<(), SyntaxErrorKind>;
}

impl<'j, T: Leaf<'j>> Slots<'j> for T {
    fn decode_item(
        items: &mut Vec<Item<Self>>,
        decoder: &mut Decoder<'j>,
        spec: &'static FieldSpec,
    ) -> Result<(), SyntaxErrorKind> {
        let mut item = Field::Absent;
        decoder.leaf(&mut item, spec)?;
        items.push(match item {
            Field::Value(value) => Item::Value(value),
            Field::Absent | Field::Null | Field::Faulty => Item::Faulty,
        });
        Ok(())
    }
}

impl<'j> Decoder<'j> {
    /// Decodes the next value as an object item of a list, in place.
    pub(crate) fn object_item<T: Draft<'j>>(
        &mut self,
        items: &mut Vec<Item<T>>,
    ) -> Result<(), SyntaxErrorKind> {
        match self.cursor.peek()? {
            Next::Object => {
                items.push(Item::Value(T::default()));
                if let Some(Item::Value(draft)) = items.last_mut() {
                    self.members(draft)?;
                }
                return Ok(());
            }
            Next::Null => self.refuse::<()>(&Check::NULL)?,
            _ => self.refuse::<()>(&Check::INVALID)?,
        };
        items.push(Item::Faulty);
        Ok(())
    }
}

impl<'j, T: Slots<'j>> Leaf<'j> for List<T> {
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Result<Option<Self>, SyntaxErrorKind> {
        let Kind::List { item, min, max, batch } = spec.kind else {
            return decoder.refuse(&Check::INVALID);
        };
        if decoder.cursor.peek()? != Next::Array {
            return decoder.refuse(&Check::NOT_A_LIST);
        }
        let general = if batch { decoder.limits.batch_items } else { decoder.limits.items };
        let start = decoder.findings.count();
        let mut items = Vec::new();
        let sent = decoder.items::<T>(&mut items, item, general)?;
        if sent > general {
            decoder.findings.forget(start);
            return decoder.fault(&Check::TOO_MANY_ITEMS, Sent::Count(sent));
        }
        // A wrong number of items leaves the array usable for rules (fields 1.7).
        if sent < min {
            decoder.findings.add(&Check::TOO_FEW_ITEMS, Sent::Count(sent));
        } else if max.is_some_and(|max| sent > max) {
            decoder.findings.add(&Check::TOO_MANY_ITEMS, Sent::Count(sent));
        }
        // Rules do not check a list of which items are missing.
        Ok((items.len() == sent as usize).then_some(Self(items)))
    }
}

/// Number of skipped items after which the errors are counted, to stop checking once there are enough.
const SETTLED_EVERY: u32 = 1_024;

/// Maximum number of items to allocate ahead: the first item may be a bad estimate of the others.
const MAX_AHEAD: u32 = 1_000;

impl<'j> Decoder<'j> {
    /// Decodes the items. Items beyond the limit are only counted; once the room is used up, items are
    /// checked but not stored. Returns the number of items.
    fn items<T: Slots<'j>>(
        &mut self,
        items: &mut Vec<Item<T>>,
        spec: &'static FieldSpec,
        limit: u32,
    ) -> Result<u32, SyntaxErrorKind> {
        let start = self.findings.count();
        let (mut index, mut is_full, mut is_settled) = (0, false, false);
        let mut more = self.cursor.open_array()?;
        let first = self.cursor.mark();
        while more {
            if index == 1 {
                // Items are large: moving them each time the list doubles costs more than this estimate.
                let most = (self.room / size_of::<Item<T>>()).min(limit.min(MAX_AHEAD) as usize);
                items.reserve_exact(self.cursor.items_left(first).min(most));
            }
            if is_full && index % SETTLED_EVERY == 0 {
                // Findings in later items sort behind the errors that an answer lists.
                is_settled = self.findings.errors_since(start) > MAX_FINDINGS;
            }
            if index >= limit || is_settled {
                self.cursor.skip()?;
            } else {
                match self.room.checked_sub(size_of::<Item<T>>()) {
                    Some(room) if !is_full => self.room = room,
                    _ => is_full = true,
                }
                let count = self.findings.count();
                T::decode_item(items, self, spec)?;
                if is_full {
                    self.is_overfull = true;
                    items.pop();
                }
                if self.findings.count() > count {
                    self.findings.place(count, &Part::Index(index), false, Some(spec));
                    self.findings.thin(start);
                }
            }
            index += 1;
            more = self.cursor.more_items()?;
        }
        if items.capacity() > 8.max(2 * items.len()) {
            items.shrink_to_fit();
        }
        Ok(index)
    }
}
