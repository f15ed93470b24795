use crate::{RULES, Rule};
use cutover_core::{Level, RuleId};
use std::collections::BTreeMap;

/// The level of every rule for one import supplier (rules 1.5): those that are set, by the place of the
/// rule in the catalogue. Where none is, the rule's own counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(Vec<Option<Level>>);

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
            profile.0[index] = Some(level);
        }
        Ok(profile)
    }

    /// The level of a rule of the catalogue in an account payload.
    pub fn level(&self, rule: &Rule) -> Level {
        self.level_of(rule.id).unwrap_or(rule.level)
    }

    /// The rules that are set otherwise than by default, with their levels.
    pub fn changes(&self) -> BTreeMap<&'static str, Level> {
        let set = RULES.iter().zip(&self.0).filter_map(|(rule, level)| Some((rule, (*level)?)));
        let is_change = |rule: &Rule, level| rule.level != level || rule.level_after_import() != level;
        set.filter(|(rule, level)| is_change(rule, *level)).map(|(rule, level)| (rule.id.0, level)).collect()
    }

    /// The level that is set for the rule of an id.
    pub(crate) fn level_of(&self, id: RuleId) -> Option<Level> {
        position(id.0).and_then(|index| self.0[index])
    }

    /// The level that is set for the rule at a place in the catalogue.
    #[inline]
    pub(crate) fn level_set(&self, index: usize) -> Option<Level> {
        self.0[index]
    }
}

impl Default for Profile {
    /// The catalogue's levels.
    fn default() -> Self {
        Self(vec![None; RULES.len()])
    }
}

fn position(id: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.id.0 == id)
}
