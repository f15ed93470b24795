//! Keyed hashes of the values of an account, by the patterns of their paths: two of them say at which paths the contents of
//! two payloads differ, and neither says what is there.

use crate::content::{Inside, Tree};
use crate::decode::{FieldSpec, Kind};
use crate::json::Writer;
use crate::{Account, MeterPointCommon, SyntaxError, Variant};
use cutover_core::NON_FIELD_ERRORS;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::LazyLock;

/// Bytes of the id of a pattern, and of the hash of the values there.
const PART: usize = 3;
/// Bytes of the id of a key.
const KEY_ID: usize = 4;
/// The pattern of a member that is not documented, or was not when this version was built.
const UNKNOWN: &str = "*";

/// The key of [`PathHashes`].
#[derive(Clone)]
pub struct PathKey {
    id: [u8; KEY_ID],
    key: [u8; 32],
}

impl PathKey {
    /// Returns the key with these bytes.
    pub fn new(key: [u8; 32]) -> Self {
        Self { id: first(Sha256::new().chain_update(b"id of the key of paths").chain_update(key)), key }
    }

    /// Begins the hash of the values of an account at a pattern. The first block is that of the account.
    fn begin(&self, account: i64) -> Sha256 {
        Sha256::new().chain_update(self.key).chain_update(account.to_be_bytes()).chain_update([0; 24])
    }
}

impl fmt::Debug for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathKey").finish_non_exhaustive()
    }
}

fn first<const N: usize>(hash: Sha256) -> [u8; N] {
    let (mut bytes, hash) = ([0; N], hash.finalize());
    bytes.copy_from_slice(&hash[..N]);
    bytes
}

/// A hash of the values of an account at each pattern of a path, such as `customers.#.mobile`, under the equality of
/// [`content_hash`](crate::content_hash). Equal values of two accounts have different hashes.
#[derive(Clone, PartialEq, Eq)]
pub struct PathHashes {
    /// The id of the key, and then id and hash of each pattern, by id.
    bytes: Vec<u8>,
}

impl fmt::Debug for PathHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathHashes").field("bytes", &self.bytes.len()).finish()
    }
}

impl PathHashes {
    /// Hashes the values of an account. `id` is a number of the account that does not change.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn of(account: &[u8], key: &PathKey, id: i64) -> Result<Self, SyntaxError> {
        let tree = Tree::read(account)?;
        let hasher =
            Hasher { tree: &tree, base: key.begin(id), places: vec![String::new()], found: BTreeMap::new() };
        let mut bytes = key.id.to_vec();
        for (pattern, hash) in hasher.hash() {
            bytes.extend(pattern);
            bytes.extend(hash);
        }
        Ok(Self { bytes })
    }

    /// Returns the hashes that were stored; `None` if these are none.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let hashes = bytes.len().checked_sub(KEY_ID)?;
        hashes.is_multiple_of(2 * PART).then_some(Self { bytes })
    }

    /// Returns the bytes to be stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the patterns at which the values differ from others of the same account, in their order; `None` if these have
    /// another key.
    pub fn differing(&self, other: &Self) -> Option<Vec<&'static str>> {
        let (key, hashes) = self.parts();
        let (other_key, others) = other.parts();
        if key != other_key {
            return None;
        }
        let differ = |pattern: &&[u8]| hashes.get(*pattern) != others.get(*pattern);
        let patterns: BTreeSet<&[u8]> = hashes.keys().chain(others.keys()).copied().collect();
        let names: BTreeSet<&str> = patterns.into_iter().filter(differ).map(name_of).collect();
        Some(names.into_iter().collect())
    }

    fn parts(&self) -> (&[u8], HashMap<&[u8], &[u8]>) {
        let (key, hashes) = self.bytes.split_at(KEY_ID.min(self.bytes.len()));
        (key, hashes.chunks_exact(2 * PART).map(|part| part.split_at(PART)).collect())
    }
}

fn name_of(id: &[u8]) -> &'static str {
    match PATTERNS.all.iter().find(|pattern| pattern.id == id) {
        Some(pattern) if pattern.text.is_empty() => NON_FIELD_ERRORS,
        Some(pattern) => &pattern.text,
        None => UNKNOWN,
    }
}

/// The patterns of the documented members.
static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::of_account);

struct Patterns {
    /// The first one is the account.
    all: Vec<Pattern>,
}

/// The values at one pattern.
struct Pattern {
    text: String,
    /// Made from the text, so that every version has the same.
    id: [u8; PART],
    /// The documented members, if objects are expected here.
    members: BTreeMap<&'static str, usize>,
    /// The members that are not documented.
    others: Option<usize>,
    /// The items, if arrays are expected here.
    items: Option<usize>,
}

impl Patterns {
    fn of_account() -> Self {
        let mut patterns = Self { all: Vec::new() };
        let account = patterns.add(String::new());
        patterns.describe(account, Kind::Object(|| &Account::SPEC));
        patterns
    }

    fn add(&mut self, text: String) -> usize {
        let id = first(Sha256::new().chain_update(&text));
        self.all.push(Pattern { text, id, members: BTreeMap::new(), others: None, items: None });
        self.all.len() - 1
    }

    /// Adds the patterns below one. Variants of meter points share members.
    fn describe(&mut self, at: usize, kind: Kind) {
        match kind {
            Kind::Object(spec) => self.describe_members(at, spec().fields),
            Kind::MeterPoint => {
                self.describe_members(at, MeterPointCommon::SPEC.fields);
                for kind in Variant::SUPPLY_TYPES {
                    self.describe_members(at, Variant::spec(*kind).fields);
                }
            }
            Kind::List { item, .. } => {
                let items =
                    self.all[at].items.unwrap_or_else(|| self.add(format!("{}.#", self.all[at].text)));
                self.all[at].items = Some(items);
                self.describe(items, item.kind);
            }
            _ => {}
        }
    }

    fn describe_members(&mut self, at: usize, fields: &'static [FieldSpec]) {
        for field in fields {
            let known = self.all[at].members.get(field.name).copied();
            let member = known.unwrap_or_else(|| self.add(self.text_of(at, field.name)));
            self.all[at].members.insert(field.name, member);
            self.describe(member, field.kind);
        }
        if self.all[at].others.is_none() {
            self.all[at].others = Some(self.add(self.text_of(at, UNKNOWN)));
        }
    }

    fn text_of(&self, at: usize, name: &str) -> String {
        match self.all[at].text.as_str() {
            "" => name.to_owned(),
            above => format!("{above}.{name}"),
        }
    }
}

struct Hasher<'t> {
    tree: &'t Tree<'t>,
    /// What all hashes begin with.
    base: Sha256,
    /// The indexes that lead to the values of a pattern, and names that are not documented.
    places: Vec<String>,
    found: BTreeMap<[u8; PART], [u8; PART]>,
}

/// A value: its place among those of its pattern, as an index of `places`, and its place in the tree.
type Value = (usize, usize);

impl Hasher<'_> {
    fn hash(mut self) -> BTreeMap<[u8; PART], [u8; PART]> {
        self.values_at(0, vec![(0, 0)]);
        self.found
    }

    /// Hashes the values of a pattern and all below it. A value that is not of the expected type is hashed as a whole.
    fn values_at(&mut self, at: usize, values: Vec<Value>) {
        let (pattern, tree) = (&PATTERNS.all[at], self.tree);
        let (mut text, mut below) = (Vec::new(), BTreeMap::<usize, Vec<Value>>::new());
        for (place, value) in values {
            match (tree.inside(value), pattern.others, pattern.items) {
                (Inside::Members(members), Some(others), _) => {
                    for (name, member) in members {
                        let next = match pattern.members.get(name) {
                            Some(known) => (*known, place),
                            None => (others, self.named(place, name)),
                        };
                        below.entry(next.0).or_default().push((next.1, member));
                    }
                }
                (Inside::Items(items), _, Some(of_items)) => {
                    for (index, item) in items.into_iter().enumerate() {
                        let inner = self.place(format!("{}{index}.", self.places[place]));
                        below.entry(of_items).or_default().push((inner, item));
                    }
                }
                _ => {
                    text.extend_from_slice(self.places[place].as_bytes());
                    text.push(b':');
                    tree.write_value(value, &mut text);
                    text.push(b'\n');
                }
            }
        }
        if !text.is_empty() {
            let hash = self.base.clone().chain_update(pattern.id).chain_update(&text);
            self.found.insert(pattern.id, first(hash));
        }
        below.into_iter().for_each(|(at, values)| self.values_at(at, values));
    }

    fn named(&mut self, place: usize, name: &str) -> usize {
        let mut quoted = Writer::new();
        quoted.string(name);
        let quoted = quoted.into_bytes();
        let name = String::from_utf8_lossy(&quoted);
        self.place(format!("{}{name}", self.places[place]))
    }

    fn place(&mut self, place: String) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(key: u8, id: i64, json: &str) -> PathHashes {
        PathHashes::of(json.as_bytes(), &PathKey::new([key; 32]), id).unwrap()
    }

    fn differing(one: &str, other: &str) -> Vec<&'static str> {
        hashes(1, 7, one).differing(&hashes(1, 7, other)).unwrap()
    }

    #[test]
    fn every_pattern_has_an_id_of_its_own() {
        let ids: BTreeSet<[u8; PART]> = PATTERNS.all.iter().map(|pattern| pattern.id).collect();
        assert_eq!(ids.len(), PATTERNS.all.len());
        let texts: Vec<&str> = PATTERNS.all.iter().map(|pattern| pattern.text.as_str()).collect();
        for text in ["customers.#.mobile", "customers.#.*", "*", "supply_addresses.#.meter_points.#.mpxn"] {
            assert!(texts.contains(&text), "{text}");
        }
    }

    #[test]
    fn texts_that_say_the_same_have_the_same_hashes() {
        let one =
            r#"{"customers":[{"mobile":"04","email":null}],"transfer_balance":1.50,"more":{"a":1,"b":2}}"#;
        let other = r#" {"more": {"b":2.0,"a":1}, "transfer_balance":15e-1, "customers":[{"email":null,"mobile":"\u00304"}]}"#;
        assert_eq!(hashes(1, 7, one), hashes(1, 7, other));
    }

    #[test]
    fn each_pattern_that_differs_is_named() {
        let with = |members: &str| format!(r#"{{"customers":[{members}]}}"#);
        let two = with(r#"{"mobile":"1","email":"a"},{"mobile":"2"}"#);
        assert_eq!(
            differing(&two, &with(r#"{"mobile":"2","email":"a"},{"mobile":"1"}"#)),
            ["customers.#.mobile"]
        );
        assert_eq!(
            differing(&two, &with(r#"{"mobile":"1"},{"mobile":"2","email":"a"}"#)),
            ["customers.#.email"]
        );
        assert_eq!(differing(&two, &with(r#"{"mobile":"1","email":"a"}"#)), ["customers.#.mobile"]);
        assert_eq!(differing(&with("{}"), r#"{"customers":[]}"#), ["customers", "customers.#"]);
        assert_eq!(
            differing(r#"{"customers":[],"transfer_balance":1}"#, r#"{"transfer_balance":1}"#),
            ["customers"]
        );
        assert_eq!(differing("7", "8"), ["non_field_errors"]);
        assert_eq!(differing(&with("7"), &with("\"7\"")), ["customers.#"]);
        assert_eq!(
            differing(r#"{"transfer_balance":1}"#, r#"{"transfer_balance":"1"}"#),
            ["transfer_balance"]
        );
    }

    #[test]
    fn names_that_are_not_documented_are_not_named() {
        assert_eq!(differing(r#"{"Jo Smith":1}"#, r#"{"Jo Smith":2}"#), ["*"]);
        assert_eq!(differing(r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#), ["*"]);
        assert_eq!(
            differing(r#"{"customers":[{"x":[1]}]}"#, r#"{"customers":[{"x":[2]}]}"#),
            ["customers.#.*"]
        );
    }

    #[test]
    fn equal_values_of_two_accounts_or_keys_have_different_hashes() {
        let json = r#"{"customers":[{"mobile":"1"}]}"#;
        assert_ne!(hashes(1, 7, json), hashes(1, 8, json));
        assert_eq!(hashes(1, 7, json).differing(&hashes(2, 7, json)), None);
    }

    #[test]
    fn stored_hashes_read_back() {
        let kept = hashes(1, 7, r#"{"customers":[{"mobile":"1","email":"a"}]}"#);
        assert_eq!(kept.as_bytes().len(), KEY_ID + 2 * 2 * PART);
        assert_eq!(PathHashes::from_bytes(kept.as_bytes().to_vec()), Some(kept));
        assert_eq!(PathHashes::from_bytes(vec![0; 9]), None);
    }
}
