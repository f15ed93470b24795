use cutover_core::AttrPath;
use cutover_model::{Blank, Field, List};

/// The path of an object or member in the payload. It lives on the stack and is allocated only for an issue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'p> {
    outer: Option<&'p At<'p>>,
    name: &'static str,
    index: Option<u32>,
}

impl<'p> At<'p> {
    /// The payload itself.
    pub(crate) const ROOT: At<'static> = At { outer: None, name: "", index: None };

    /// A member of this object.
    pub(crate) fn member(&'p self, name: &'static str) -> At<'p> {
        At { outer: Some(self), name, index: None }
    }

    /// An item of an array that is a member of this object.
    pub(crate) fn item(&'p self, name: &'static str, index: u32) -> At<'p> {
        At { outer: Some(self), name, index: Some(index) }
    }

    /// Returns the path as it is reported.
    pub(crate) fn to_path(self) -> AttrPath {
        let outer = self.outer.map_or_else(AttrPath::root, |outer| outer.to_path());
        let path = if self.name.is_empty() { outer } else { outer.name(self.name) };
        match self.index {
            Some(index) => path.index(index),
            None => path,
        }
    }
}

/// Calls `f` with each usable item of a list and its path.
pub(crate) fn items<'a, T: Blank>(
    field: &'a Field<List<T>>,
    name: &'static str,
    at: &At<'_>,
    mut f: impl FnMut(&'a T, &At<'_>),
) {
    if let Some(list) = field.usable() {
        list.usable().for_each(|(index, item)| f(item, &at.item(name, index)));
    }
}
