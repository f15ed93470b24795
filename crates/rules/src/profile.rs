use crate::{RULES, Rule};
use cutover_core::{Level, RuleId};
use std::collections::BTreeMap;

/// The level of every rule for one import supplier (rules 1.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(Vec<Level>);

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
            profile.0[index] = level;
        }
        Ok(profile)
    }

    /// The level of a rule of the catalogue.
    pub fn level(&self, rule: &Rule) -> Level {
        self.level_of(rule.id).unwrap_or(rule.level)
    }

    /// The rules that are set otherwise than by default, with their levels.
    pub fn changes(&self) -> BTreeMap<&'static str, Level> {
        let pairs = RULES.iter().zip(&self.0);
        pairs.filter(|(rule, level)| rule.level != **level).map(|(rule, level)| (rule.id.0, *level)).collect()
    }

    pub(crate) fn level_of(&self, id: RuleId) -> Option<Level> {
        position(id.0).map(|index| self.0[index])
    }

    #[inline]
    pub(crate) fn level_at(&self, index: usize) -> Level {
        self.0[index]
    }
}

impl Default for Profile {
    /// The catalogue's levels.
    fn default() -> Self {
        Self(RULES.iter().map(|rule| rule.level).collect())
    }
}

fn position(id: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.id.0 == id)
}
