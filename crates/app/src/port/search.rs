use super::StoreError;

/// A word by which an account is found, in the form in which the store compares it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchTerm(pub Vec<u8>);

masked! { SearchTerm }

/// The key that the words of accounts are hashed with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SearchKey(pub [u8; 32]);

masked! { SearchKey }

/// Queries of accepted accounts and of businesses by their words ([`Staged::terms`](super::Staged),
/// [`NewBusiness::terms`](super::NewBusiness)). Each finds its rows by an index, and reads no more of it than
/// its limit.
pub trait Search {
    /// Returns the key of the installation; `None` before the first word.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if this process lacks its encryption key.
    fn search_key(&mut self) -> Result<Option<SearchKey>, StoreError>;

    /// Stores the key of the installation, unless it has one.
    fn add_search_key(&mut self, key: &SearchKey) -> Result<(), StoreError>;

    /// Returns the processes with a term, by their keys, greater than `after`, at most `limit`.
    fn processes_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Returns the processes with a term that begins with this one, by that term, at most `limit` rows, so perhaps fewer processes.
    fn processes_with_beginning(&mut self, term: &SearchTerm, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Returns those of these processes that have a term, by their keys.
    fn processes_among_with(
        &mut self,
        process_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError>;

    /// Returns the businesses with a term, by their keys, greater than `after`, at most `limit`.
    fn businesses_with(&mut self, term: &SearchTerm, after: i64, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Returns those of these businesses that have a term, by their keys.
    fn businesses_among_with(
        &mut self,
        business_ids: &[i64],
        term: &SearchTerm,
    ) -> Result<Vec<i64>, StoreError>;
}
