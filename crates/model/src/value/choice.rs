/// One of a closed list of values (fields 1.5).
pub(crate) trait Choice: Copy {
    /// The words of the list.
    const KNOWN: &'static [&'static str];

    /// The choice that is written as this text.
    fn of(text: &str) -> Option<Self>;
}
