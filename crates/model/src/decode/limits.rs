/// Maximum number of items of any array (fields 1.6).
pub const MAX_ITEMS: u32 = 10_000;

/// Maximum number of bytes that the items of a request take in memory for each byte of its body. Arrays nest,
/// and an item without its required members is short in JSON and large in memory. Among the shortest valid
/// items, property administrators without members take most: 40.
pub const MAX_EXPANSION: usize = 48;

/// Additional bytes for each item that an array may have: items of arrays that occur once in an account may
/// be larger.
const ROOM_AN_ITEM: usize = 1_024;

/// Limits that the operator can set (fields 1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items of the `notes`, `transactions` or `statements` of a post-import request.
    pub batch_items: u32,
    /// Items of any other array.
    pub items: u32,
    /// Bytes of memory for the items of a request, where [`MAX_EXPANSION`] would allow more. A valid payload that takes more
    /// is refused with `too_many_items`.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { batch_items: 1_000, items: MAX_ITEMS, memory: usize::MAX }
    }
}

impl Limits {
    /// Maximum number of bytes that the items of a body of this length take in memory.
    pub fn room(self, length: usize) -> usize {
        // An item takes at least two bytes of a body with its comma.
        let once = (self.items as usize).min(length / 2).saturating_mul(ROOM_AN_ITEM);
        length.saturating_mul(MAX_EXPANSION).saturating_add(once).min(self.memory)
    }
}
