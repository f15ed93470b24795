//! The levels of rules for an import supplier (rules 1.5).

mod strict;
mod undocumented;
mod values;

pub use undocumented::UndocumentedMembers;
pub use values::{RuleValue, set_values};

use crate::levels::{LevelSource, Levels, Set};
use crate::{Country, Needs, RULES, Rule};
use cutover_core::{Level, RuleId};
use cutover_model::RuleValues;
use std::sync::{Arc, LazyLock};

cutover_core::string_enum! {
    "a profile";
    /// A set of levels with a name (rules 1.5).
    #[derive(Default)]
    pub enum ProfileName {
        /// Each rule has its default level.
        #[default]
        Standard = "standard",
        /// What comparable services refuse is an error.
        Strict = "strict",
        /// Errors that the payload decides are warnings, unless their level is fixed.
        Lenient = "lenient",
    }
}

/// The levels of rules for an import supplier (rules 1.5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    levels: Levels,
    undocumented: UndocumentedMembers,
    values: Arc<RuleValues>,
}

/// The level of a rule that is not its default.
#[derive(Debug, Clone, Copy)]
pub struct ChangedLevel {
    /// The rule.
    pub rule: &'static Rule,
    /// Its level.
    pub level: Level,
    /// What set it.
    pub source: LevelSource,
}

/// Reason why a level cannot be set.
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
    /// Creates a profile in which the rules with these ids have these levels, and others their default.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn new<'r>(levels: impl IntoIterator<Item = (&'r str, Level)>) -> Result<Self, InvalidProfile> {
        Self::default().with(levels)
    }

    /// Returns the profile of this name in a country. A level of the country takes precedence.
    pub fn named(name: ProfileName, country: Country) -> Self {
        /// The profiles of each country, made once: payloads ask for them.
        static PROFILES: LazyLock<Vec<(ProfileName, Country, Levels)>> = LazyLock::new(|| {
            let of = |name| Country::all().map(move |country| (name, country, named(name, country)));
            ProfileName::ALL.into_iter().flat_map(of).collect()
        });
        let profile = PROFILES.iter().find(|(other, of, _)| (*other, *of) == (name, country));
        let levels = profile.map(|(.., levels)| levels.clone()).unwrap_or_default();
        Self { levels, ..Self::default() }
    }

    /// Sets the levels of the rules with these ids.
    ///
    /// # Errors
    /// [`InvalidProfile`] for an unknown rule or one whose level is fixed.
    pub fn with<'r>(
        mut self,
        levels: impl IntoIterator<Item = (&'r str, Level)>,
    ) -> Result<Self, InvalidProfile> {
        for (id, level) in levels {
            let index = position(id).ok_or_else(|| InvalidProfile::Unknown(id.to_owned()))?;
            if RULES[index].fixed {
                return Err(InvalidProfile::Fixed(RULES[index].id));
            }
            self.levels.set(index, Set { level, source: LevelSource::Rule }, RULES.len());
        }
        Ok(self)
    }

    /// Sets what becomes of members that the contract does not document.
    pub fn with_undocumented(self, undocumented: UndocumentedMembers) -> Self {
        Self { undocumented, ..self }
    }

    /// Sets what rules compare payloads with.
    pub fn with_values(self, values: Arc<RuleValues>) -> Self {
        Self { values, ..self }
    }

    /// Returns the level of a rule in account payloads.
    pub fn level(&self, rule: &Rule) -> Level {
        self.level_of(rule.id).unwrap_or(rule.level)
    }

    /// Returns the rules whose level is not the default, in the order of the catalogue.
    pub fn changes(&self) -> impl Iterator<Item = ChangedLevel> {
        let set =
            RULES.iter().enumerate().filter_map(|(index, rule)| Some((rule, self.levels.set_at(index)?)));
        set.filter(|(rule, set)| rule.level != set.level || rule.level_after_import() != set.level)
            .map(|(rule, Set { level, source })| ChangedLevel { rule, level, source })
    }

    /// What rules compare payloads with.
    pub(crate) fn values(&self) -> &RuleValues {
        &self.values
    }

    /// What becomes of members that the contract does not document.
    pub(crate) fn undocumented(&self) -> &UndocumentedMembers {
        &self.undocumented
    }

    /// Returns the level that is set for the rule with this id.
    pub(crate) fn level_of(&self, id: RuleId) -> Option<Level> {
        position(id.0).and_then(|index| self.levels.at(index))
    }

    /// The levels that are set.
    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
    }
}

/// Makes the profile of this name in a country.
fn named(name: ProfileName, country: Country) -> Levels {
    let mut levels = Levels::default();
    let mut set = |index, level, source| levels.set(index, Set { level, source }, RULES.len());
    for (index, rule) in RULES.iter().enumerate() {
        let level = match name {
            ProfileName::Standard => None,
            ProfileName::Strict => strict::ERRORS.contains(&rule.id.0).then_some(Level::Error),
            // What stored state decides protects others: an account that was erased stays away.
            ProfileName::Lenient => {
                (rule.level == Level::Error && !rule.fixed && rule.needs == Needs::Payload)
                    .then_some(Level::Warning)
            }
        };
        if let Some(level) = level {
            set(index, level, LevelSource::Profile);
        }
        if let Some(level) = country.level(rule.id) {
            set(index, level, LevelSource::Country);
        }
    }
    levels
}

fn position(id: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.id.0 == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_raises_levels_that_can_be_set() {
        for id in strict::ERRORS {
            let rule = crate::rule(id).unwrap_or_else(|| panic!("{id}"));
            assert!(!rule.fixed && rule.level != Level::Error, "{id}");
        }
    }
}
