use super::Check;
use cutover_core::{AttrPath, Level, Segment};
use std::borrow::Cow;
use std::cmp::Ordering;

/// How many errors an answer names (rules 1.4); one more is kept to know that there were more.
pub const MAX_FINDINGS: usize = 1_000;
const KEPT: usize = MAX_FINDINGS + 1;
/// So many findings inside one container are thinned out to [`KEPT`] of each kind.
const THIN_AT: usize = 4 * KEPT;

/// So many characters of a member name stand in a path.
const MAX_NAME: usize = 128;

/// One part of a path while it is built, from the leaf outwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'j> {
    Name(Cow<'j, str>),
    Index(u32),
}

impl<'j> Part<'j> {
    /// The name of a member that is not ours, cut if it is long: every fault under it repeats it.
    pub(crate) fn foreign(name: Cow<'j, str>) -> Self {
        match name.char_indices().nth(MAX_NAME) {
            Some((end, _)) => Part::Name(Cow::Owned(format!("{}…", &name[..end]))),
            None => Part::Name(name),
        }
    }

    fn into_segment(self) -> Segment {
        match self {
            Part::Name(name) => Segment::Name(Cow::Owned(name.into_owned())),
            Part::Index(index) => Segment::Index(index),
        }
    }
}

impl PartialOrd for Part<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Part::Name(a), Part::Name(b)) => a.cmp(b),
            (Part::Index(a), Part::Index(b)) => a.cmp(b),
            (Part::Index(_), Part::Name(_)) => Ordering::Less,
            (Part::Name(_), Part::Index(_)) => Ordering::Greater,
        }
    }
}

/// What a field check found: the path and the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The offending input.
    pub attr: AttrPath,
    /// Which check found it.
    pub check: &'static Check,
}

#[derive(Debug)]
struct Found<'j> {
    check: &'static Check,
    /// From the leaf outwards; outer parts come as the decoder leaves containers.
    path: Vec<Part<'j>>,
}

impl Found<'_> {
    fn order(&self, other: &Self) -> Ordering {
        let path = self.path.iter().rev().cmp(other.path.iter().rev());
        path.then_with(|| self.check.code.as_str().cmp(other.check.code.as_str()))
    }

    fn is_remark(&self) -> bool {
        self.check.level != Level::Error
    }
}

/// The findings of a payload so far, in bounded memory.
///
/// On the valid path nothing is done: a container compares the count before and after its child and
/// only on a change adds its own part to what is new.
#[derive(Debug, Default)]
pub(crate) struct Findings<'j>(Vec<Found<'j>>);

impl<'j> Findings<'j> {
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// How many of those since `count` are errors.
    pub(crate) fn errors_since(&self, count: usize) -> usize {
        self.0[count..].iter().filter(|found| !found.is_remark()).count()
    }

    /// A finding at the value being decoded.
    #[cold]
    #[inline(never)]
    pub(crate) fn add(&mut self, check: &'static Check) {
        self.0.push(Found { check, path: Vec::new() });
    }

    /// A finding at a member of the object being decoded.
    #[cold]
    #[inline(never)]
    pub(crate) fn add_at(&mut self, part: Part<'j>, check: &'static Check) {
        self.0.push(Found { check, path: vec![part] });
    }

    /// Adds the container's part to every finding since `count`; of a transparent container, only
    /// to those at the container itself.
    #[cold]
    #[inline(never)]
    pub(crate) fn place(&mut self, count: usize, part: &Part<'j>, transparent: bool) {
        for found in &mut self.0[count..] {
            if !transparent || found.path.is_empty() {
                found.path.push(part.clone());
            }
        }
    }

    /// Forgets what was found since `count`: the part is decoded again.
    pub(crate) fn forget(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Keeps the first 1,001 errors and remarks of those since `count`, which all lie in one container:
    /// the others cannot be among the first 1,000 of the payload.
    #[inline]
    pub(crate) fn thin(&mut self, count: usize) {
        if self.0.len() - count > THIN_AT {
            self.thin_out(count);
        }
    }

    #[cold]
    fn thin_out(&mut self, count: usize) {
        let mut new = self.0.split_off(count);
        new.sort_by(Found::order);
        new.dedup_by(|a, b| a.order(b).is_eq());
        let mut kept = [0, 0];
        new.retain(|found| {
            let kept = &mut kept[usize::from(found.is_remark())];
            *kept += 1;
            *kept <= KEPT
        });
        self.0.append(&mut new);
    }

    /// The findings by path and code, none twice.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        self.thin_out(0);
        let finding = |found: Found<'_>| Finding {
            attr: AttrPath::from(found.path.into_iter().rev().map(Part::into_segment).collect::<Vec<_>>()),
            check: found.check,
        };
        let mut findings: Vec<Finding> = self.0.into_iter().map(finding).collect();
        // Once more, for the whole payload sorts under its written name.
        findings.sort_by(|a, b| {
            a.attr.cmp(&b.attr).then_with(|| a.check.code.as_str().cmp(b.check.code.as_str()))
        });
        findings
    }
}
