use crate::limits::blocking::BLOCKING;
use crate::request::body::SHORT;
use cutover_model::Limits;

/// Memory for what requests hold at a time, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Buffers and states of connections.
    pub(crate) connections: usize,
    /// Pages of the lists that are sent.
    pub(crate) lists: usize,
    /// Bodies; half as much for those of one organisation.
    pub(crate) bodies: usize,
    /// Items of the short bodies that are decoded: nobody's large bodies keep them waiting.
    pub(crate) short: usize,
    /// Items of the other bodies that are decoded.
    pub(crate) decoded: usize,
}

/// Memory of a connection without a request.
const CONNECTION: usize = 12 << 10;
/// Memory of a list that is sent: two pages.
const LIST: usize = 1 << 20;
/// Lists sent at a time; half as many for one organisation.
const LISTS: usize = 256;
/// Bodies of the largest size.
const LARGEST_BODIES: usize = 32;
/// Bodies of the largest size that are decoded at a time.
const DECODED: usize = 2;
/// Times that the bytes of a body are in memory: as received, and as they are stored.
const COPIES: usize = 2;
/// Bytes of memory for each byte of a body that is decoded, where its items have the usual members.
const USUAL_EXPANSION: usize = 10;

impl Memory {
    /// The memory that requests take at most where the process has no limit.
    pub fn unlimited(body_limit: usize, connections: usize) -> Self {
        Self {
            connections: connections.saturating_mul(CONNECTION),
            lists: LISTS * LIST,
            bodies: body_limit.saturating_mul(LARGEST_BODIES),
            short: Limits::default().room(SHORT).saturating_mul(BLOCKING),
            decoded: Limits::default().room(body_limit).saturating_mul(DECODED),
        }
    }

    /// Divides this many bytes, so that no part is larger than [without a limit](Self::unlimited).
    pub fn within(bytes: usize, body_limit: usize, connections: usize) -> Self {
        let most = Self::unlimited(body_limit, connections);
        let mut left = bytes;
        // The rest of a part that needs less is left to the next ones; the last one needs most.
        let mut part = |most: usize, divisor: usize| {
            let part = most.min(left / divisor);
            left -= part;
            part
        };
        Self {
            connections: part(most.connections, 8),
            lists: part(most.lists, 7),
            bodies: part(most.bodies.saturating_mul(COPIES), 3) / COPIES,
            short: part(most.short, 4),
            decoded: part(most.decoded, 1),
        }
    }

    /// The number of connections that there is memory for.
    pub fn connections(self) -> usize {
        self.connections / CONNECTION
    }

    /// The number of lists that there is memory for, at least one for each of two organisations.
    pub(crate) fn lists(self) -> usize {
        (self.lists / LIST).max(2)
    }

    /// The largest body that there is memory for, if its items have the usual members.
    pub fn largest_body(self) -> usize {
        (self.bodies / 2).min(self.decoded / USUAL_EXPANSION)
    }

    /// The largest number of bytes that the items of a body may take.
    pub fn of_items(self) -> usize {
        self.decoded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: usize = 8 << 20;

    fn sum(memory: Memory) -> usize {
        memory.connections + memory.lists + COPIES * memory.bodies + memory.short + memory.decoded
    }

    #[test]
    fn parts_add_up_to_no_more_than_the_whole() {
        for megabytes in [1, 10, 100, 200, 500, 1_000, 4_000] {
            for connections in [10, 700, 25_000] {
                let whole = megabytes << 20;
                let memory = Memory::within(whole, BODY, connections);
                assert!(sum(memory) <= whole, "{megabytes} {memory:?}");
                assert!(memory.connections() <= connections);
            }
        }
    }

    #[test]
    fn what_suffices_is_not_lowered() {
        let most = Memory::unlimited(BODY, 700);
        assert_eq!(Memory::within(16 << 30, BODY, 700), most);
        assert!(Memory::within(1 << 30, BODY, 700).decoded < most.decoded);
        assert_eq!(most.lists(), 256);
    }

    #[test]
    fn little_memory_lowers_the_largest_body() {
        assert!(Memory::within(220 << 20, BODY, 700).largest_body() >= BODY);
        let little = Memory::within(40 << 20, BODY, 700).largest_body();
        assert!((1 << 20..BODY).contains(&little), "{little}");
    }
}
