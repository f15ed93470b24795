use cutover_core::Level;

/// What set the level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelSource {
    /// The profile of this name.
    Profile,
    /// The country.
    Country,
    /// The setting of the rule itself.
    Rule,
}

/// The levels that are set for an import supplier, by the index of the rule in the catalogue. Most suppliers set none,
/// so that `None` is the common case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Levels(Option<Box<[Option<Set>]>>);

/// A level that is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) level: Level,
    pub(crate) source: LevelSource,
}

impl Levels {
    /// Sets a level, in a catalogue of so many rules.
    pub(crate) fn set(&mut self, index: usize, set: Set, rules: usize) {
        self.0.get_or_insert_with(|| vec![None; rules].into())[index] = Some(set);
    }

    /// Returns the level that is set for the rule at this index.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> Option<Level> {
        self.set_at(index).map(|set| set.level)
    }

    /// Returns the level that is set for the rule at this index, and what set it.
    #[inline]
    pub(crate) fn set_at(&self, index: usize) -> Option<Set> {
        self.0.as_ref().and_then(|levels| levels[index])
    }
}
