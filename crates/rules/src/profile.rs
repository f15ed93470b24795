use crate::{RULES, Rule};
use cutover_core::{Level, RuleId};
use std::collections::BTreeMap;

/// The level of every rule for one import supplier (rules 1.5): those that are set, by the place of the
/// rule in the catalogue. Where none is, the rule's own counts; nearly no supplier sets any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile(Option<Box<[Option<Level>]>>);

/// Why a level cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProfile {
    /// No rule has this id.
    #[error("there is no rule {0:?}")]
    Unknown(String),
    /// The level of the rule is fixed.
    #[error("the level of rule {0} is fixed")]
    Fixed(RuleId),
}

impl Profile {
    /// The catalogue's levels with some of them set otherwise, by rule id.
    ///
    /// # Errors
    /// [`InvalidProfile`] for an unknown rule or one whose level is fixed.
    pub fn new<'r>(levels: impl IntoIterator<Item = (&'r str, Level)>) -> Result<Self, InvalidProfile> {
        let mut profile = Self::default();
        for (id, level) in levels {
            let index = position(id).ok_or_else(|| InvalidProfile::Unknown(id.to_owned()))?;
            if RULES[index].fixed {
                return Err(InvalidProfile::Fixed(RULES[index].id));
            }
            profile.0.get_or_insert_with(|| vec![None; RULES.len()].into())[index] = Some(level);
        }
        Ok(profile)
    }

    /// The level of a rule of the catalogue in an account payload.
    pub fn level(&self, rule: &Rule) -> Level {
        self.level_of(rule.id).unwrap_or(rule.level)
    }

    /// The rules that are set otherwise than by default, with their levels.
    pub fn changes(&self) -> BTreeMap<&'static str, Level> {
        let levels = self.0.iter().flat_map(|levels| levels.iter());
        let set = RULES.iter().zip(levels).filter_map(|(rule, level)| Some((rule, (*level)?)));
        let is_change = |rule: &Rule, level| rule.level != level || rule.level_after_import() != level;
        set.filter(|(rule, level)| is_change(rule, *level)).map(|(rule, level)| (rule.id.0, level)).collect()
    }

    /// The level that is set for the rule of an id.
    pub(crate) fn level_of(&self, id: RuleId) -> Option<Level> {
        position(id.0).and_then(|index| self.level_set(index))
    }

    /// The level that is set for the rule at a place in the catalogue.
    #[inline]
    pub(crate) fn level_set(&self, index: usize) -> Option<Level> {
        self.0.as_ref().and_then(|levels| levels[index])
    }
}

fn position(id: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.id.0 == id)
}
