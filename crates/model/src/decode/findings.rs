use super::{Cause, Check, FieldSpec, Known, Part, Sent};
use cutover_core::{AttrPath, Level, nearest};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Maximum number of errors in an answer (rules 1.4). One more is stored to know if there were more.
pub const MAX_FINDINGS: usize = 1_000;
const KEPT: usize = MAX_FINDINGS + 1;
/// Above this number of findings inside one container, only [`KEPT`] of each kind are kept.
const THIN_AT: usize = 4 * KEPT;

/// A finding of a field check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The offending input.
    pub attr: AttrPath,
    /// The check that found it.
    pub check: &'static Check,
    /// Text for people: what is wrong and what was expected. Of the payload it holds lengths only.
    pub detail: Cow<'static, str>,
}

#[derive(Debug)]
struct PendingFinding<'j> {
    check: &'static Check,
    cause: Cause,
    /// From the leaf outwards; the decoder appends a part whenever it leaves a container.
    path: Vec<Part<'j>>,
}

impl PendingFinding<'_> {
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
/// A valid payload costs nothing: a container compares the number of findings before and after its child and
/// appends its own part only to new ones.
#[derive(Debug, Default)]
pub(crate) struct Findings<'j> {
    found: Vec<PendingFinding<'j>>,
    /// Number of texts that were compared with known words.
    compared: usize,
}

impl<'j> Findings<'j> {
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Number of errors among the findings since `count`.
    pub(crate) fn errors_since(&self, count: usize) -> usize {
        self.found[count..].iter().filter(|found| !found.is_remark()).count()
    }

    /// Adds a finding at the value being decoded. [`Self::place`] adds the declaration.
    #[cold]
    #[inline(never)]
    pub(crate) fn add(&mut self, check: &'static Check, sent: Sent) {
        let cause = Cause { spec: None, sent };
        self.found.push(PendingFinding { check, cause, path: Vec::new() });
    }

    /// Adds a finding at a member of the object being decoded.
    #[cold]
    #[inline(never)]
    pub(crate) fn add_at(&mut self, part: Part<'j>, check: &'static Check, cause: Cause) {
        self.found.push(PendingFinding { check, cause, path: vec![part] });
    }

    /// Returns the known word that is nearest to a text. Only the first 1,000 texts of a payload are compared,
    /// so that the time does not grow with the number of faults.
    #[cold]
    #[inline(never)]
    pub(crate) fn nearest(&mut self, text: &str, words: Known) -> Sent {
        self.compared += 1;
        if self.compared > MAX_FINDINGS {
            return Sent::Other;
        }
        let word = nearest(text, words.iter().copied().filter(|word| !word.is_empty()));
        word.map_or(Sent::Other, Sent::Near)
    }

    /// Appends the container's part to every finding since `count`. If the container is transparent, only to
    /// findings at the container itself. These get the declaration of the part.
    #[cold]
    #[inline(never)]
    pub(crate) fn place(
        &mut self,
        count: usize,
        part: &Part<'j>,
        transparent: bool,
        spec: Option<&'static FieldSpec>,
    ) {
        for found in &mut self.found[count..] {
            if found.path.is_empty() {
                found.cause.spec = found.cause.spec.or(spec);
            }
            if !transparent || found.path.is_empty() {
                found.path.push(part.clone());
            }
        }
    }

    /// Drops the findings since `count`, because the part is decoded again.
    pub(crate) fn forget(&mut self, count: usize) {
        self.found.truncate(count);
    }

    /// Keeps only the first 1,001 errors and remarks since `count`, which all lie in one container: the
    /// others cannot be among the first 1,000 of the payload.
    #[inline]
    pub(crate) fn thin(&mut self, count: usize) {
        if self.found.len() - count > THIN_AT {
            self.thin_out(count);
        }
    }

    #[cold]
    fn thin_out(&mut self, count: usize) {
        let mut new = self.found.split_off(count);
        new.sort_by(PendingFinding::order);
        new.dedup_by(|a, b| a.order(b).is_eq());
        let mut kept = [0, 0];
        new.retain(|found| {
            let kept = &mut kept[usize::from(found.is_remark())];
            *kept += 1;
            *kept <= KEPT
        });
        self.found.append(&mut new);
    }

    /// The findings, sorted by path and code, without duplicates.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        self.thin_out(0);
        let finding = |found: PendingFinding<'_>| Finding {
            detail: found.cause.detail(found.check, found.path.first()),
            attr: AttrPath::from(found.path.into_iter().rev().map(Part::into_segment).collect::<Vec<_>>()),
            check: found.check,
        };
        let mut findings: Vec<Finding> = self.found.into_iter().map(finding).collect();
        // Sort again: the path of the whole payload sorts as its written name.
        findings.sort_by(|a, b| {
            a.attr.cmp(&b.attr).then_with(|| a.check.code.as_str().cmp(b.check.code.as_str()))
        });
        findings
    }
}
