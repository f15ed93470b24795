use super::cursor;
use crate::refusal::Refusal;
use crate::request::query::Query;
use cutover_app::port::Position;

/// The largest page.
pub(in crate::endpoint) const LARGEST: u32 = 10_000;
/// The size of a page if only a cursor is given.
const USUAL: u32 = 1_000;

/// The requested page of a list (contract D7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paging {
    /// Maximum number of items.
    pub(super) size: u32,
    /// The position before the page; `None` is the beginning.
    pub(super) after: Option<Position>,
}

impl Paging {
    /// Parses a query; `None` is the whole list.
    ///
    /// # Errors
    /// [`Refusal::Parameters`].
    pub(super) fn of(query: &str) -> Result<Option<Self>, Refusal> {
        let mut query = Query::new(query);
        let (after, size) = read(&mut query);
        query.finish()?;
        let is_paged = after.is_some() || size.is_some();
        Ok(is_paged.then(|| Self { size: size.unwrap_or(USUAL), after }))
    }
}

/// Reads the parameters of a page: the cursor and the size.
pub(in crate::endpoint) fn read(query: &mut Query<'_>) -> (Option<Position>, Option<u32>) {
    (query.read("cursor", cursor::decode), query.read("page_size", size))
}

/// Parses the size of a page.
pub(in crate::endpoint) fn size(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|size| is_plain && (1..=LARGEST).contains(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURSOR: &str = "AAAAAAAAAAAAAAAAAAAAAQ";

    #[test]
    fn queries_are_parsed() {
        let after = cursor::decode(CURSOR);
        for (query, paging) in [
            ("", None),
            ("other=1&Page_size=x", None),
            ("page_size=1", Some(Paging { size: 1, after: None })),
            ("page_size=10000&x", Some(Paging { size: 10_000, after: None })),
            (&format!("cursor={CURSOR}"), Some(Paging { size: 1_000, after })),
            (&format!("cursor={CURSOR}&page_size=2"), Some(Paging { size: 2, after })),
        ] {
            assert_eq!(Paging::of(query).unwrap(), paging, "{query}");
        }
    }

    #[test]
    fn refused_requests() {
        for (query, names) in [
            ("page_size=", &["page_size"][..]),
            ("page_size=0", &["page_size"]),
            ("page_size=10001", &["page_size"]),
            ("page_size=-1", &["page_size"]),
            ("page_size=%2B1", &["page_size"]),
            ("page_size=1.0", &["page_size"]),
            ("page_size=99999999999", &["page_size"]),
            ("page_size=5&page_size=5", &["page_size"]),
            ("cursor=&page_size=5", &["cursor"]),
            ("cursor=x&page_size=x", &["cursor", "page_size"]),
        ] {
            let refused = Paging::of(query).unwrap_err();
            assert!(
                matches!(&refused, Refusal::Parameters(faulty) if faulty == names),
                "{query} {refused:?}"
            );
        }
    }
}
