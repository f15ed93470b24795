use std::hash::{Hash, Hasher};

/// A text that is compared without regard to the case of ASCII letters (rules 1.7).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folded<'t>(pub(crate) &'t str);

impl PartialEq for Folded<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Eq for Folded<'_> {}

impl Hash for Folded<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.bytes().for_each(|byte| state.write_u8(byte.to_ascii_uppercase()));
        state.write_u8(0xff);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn only_ascii_letters_fold() {
        let set: HashSet<_> = [Folded("aBc-1"), Folded("é")].into();
        assert!(set.contains(&Folded("AbC-1")));
        assert!(!set.contains(&Folded("abc-2")));
        assert!(!set.contains(&Folded("É")));
    }
}
