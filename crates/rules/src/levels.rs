use cutover_core::Level;

/// The levels that are set for an import supplier, by the index of the rule in the catalogue. Few suppliers set any,
/// so that `None` is the common case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Levels(Option<Box<[Option<Level>]>>);

impl Levels {
    /// Sets a level, in a catalogue of so many rules.
    pub(crate) fn set(&mut self, index: usize, level: Level, rules: usize) {
        self.0.get_or_insert_with(|| vec![None; rules].into())[index] = Some(level);
    }

    /// Returns the level that is set for the rule at this index.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> Option<Level> {
        self.0.as_ref().and_then(|levels| levels[index])
    }
}
