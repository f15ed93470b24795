//! The Merkle tree of RFC 6962 and RFC 9162 with SHA-256.

use sha2::{Digest, Sha256};

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Hashes a leaf: SHA-256 of 0x00 and its bytes.
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(leaf).finalize().into()
}

/// Hashes an inner node: SHA-256 of 0x01 and both hashes below it.
fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of a tree whose leaves come one after another. It needs memory for one hash per level of the tree.
#[derive(Debug, Clone, Default)]
pub struct MerkleRoot {
    /// Roots of complete subtrees from left to right, each smaller than the one before.
    subtrees: Vec<Hash>,
    leaves: u64,
}

impl MerkleRoot {
    /// Adds the hash of the next leaf. The root of a complete subtree may take the place of a leaf, if all others do:
    /// then this is the tree above them.
    pub fn push(&mut self, hash: Hash) {
        let mut hash = hash;
        // A complete subtree ends for each one bit at the end of the number of leaves.
        for _ in 0..self.leaves.trailing_ones() {
            if let Some(left) = self.subtrees.pop() {
                hash = node_hash(&left, &hash);
            }
        }
        self.subtrees.push(hash);
        self.leaves += 1;
    }

    /// Returns the number of leaves.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Returns the root: SHA-256 of nothing if there is no leaf.
    pub fn root(&self) -> Hash {
        let mut rest = self.subtrees.iter().rev();
        let Some(last) = rest.next() else { return Sha256::digest([]).into() };
        rest.fold(*last, |right, left| node_hash(left, &right))
    }
}

/// Returns the root of the tree over these hashes of leaves.
pub fn root_of(hashes: &[Hash]) -> Hash {
    let mut root = MerkleRoot::default();
    hashes.iter().for_each(|hash| root.push(*hash));
    root.root()
}

/// Returns the hashes that lead from a leaf to the root, the lowest first (RFC 9162, 2.1.3.1); `None` if there is no such
/// leaf.
///
/// The path in a tree whose subtrees are complete, but for the last, is the path in the leaf's subtree and then the path
/// of that subtree among the roots of all.
pub fn inclusion_path(hashes: &[Hash], index: usize) -> Option<Vec<Hash>> {
    if index >= hashes.len() {
        return None;
    }
    let (mut path, mut rest, mut index) = (Vec::new(), hashes, index);
    while rest.len() > 1 {
        // The largest power of two below the number of leaves.
        let (left, right) = rest.split_at(rest.len().next_power_of_two() / 2);
        let other = if index < left.len() {
            rest = left;
            right
        } else {
            index -= left.len();
            rest = right;
            left
        };
        path.push(root_of(other));
    }
    path.reverse();
    Some(path)
}

/// Returns the root to which a path leads from a leaf (RFC 9162, 2.1.3.2); `None` if the path has not the length that a
/// tree of this size has at this leaf.
pub fn root_by_path(hash: &Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    let (mut node, mut last, mut hash) = (index, size - 1, *hash);
    for other in path {
        if last == 0 {
            return None;
        }
        if node % 2 == 1 || node == last {
            hash = node_hash(other, &hash);
            while node % 2 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, other);
        }
        node >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::super::{from_hex, to_hex};
    use super::*;
    use proptest::prelude::*;

    /// The leaves and roots of the reference implementation of Certificate Transparency (RFC 6962).
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    #[test]
    fn the_vectors_of_the_rfc_have_their_roots() {
        for (size, root) in ROOTS.iter().enumerate() {
            let hashes: Vec<Hash> = LEAVES[..size].iter().map(|leaf| leaf_hash(leaf)).collect();
            assert_eq!(to_hex(&root_of(&hashes)), *root, "{size}");
        }
    }

    #[test]
    fn the_vectors_of_the_rfc_have_their_paths() {
        let hashes: Vec<Hash> = LEAVES.iter().map(|leaf| leaf_hash(leaf)).collect();
        let path = |size: usize, index: usize| -> Vec<String> {
            inclusion_path(&hashes[..size], index).unwrap().iter().map(|hash| to_hex(hash)).collect()
        };
        assert_eq!(path(1, 0), Vec::<String>::new());
        assert_eq!(
            path(8, 0),
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ]
        );
        assert_eq!(path(3, 2), ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]);
        assert_eq!(inclusion_path(&hashes, 8), None);
    }

    fn hashes(count: usize) -> Vec<Hash> {
        (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    proptest! {
        #[test]
        fn each_leaf_has_a_proof_and_no_other_leaf_has_it(
            count in 1_usize..200,
            index in any::<prop::sample::Index>(),
            other in any::<[u8; 32]>(),
        ) {
            let (hashes, index) = (hashes(count), index.index(count));
            let root = root_of(&hashes);
            let path = inclusion_path(&hashes, index).unwrap();
            let (at, size) = (index as u64, count as u64);
            prop_assert_eq!(root_by_path(&hashes[index], at, size, &path), Some(root));
            prop_assert_ne!(root_by_path(&other, at, size, &path), Some(root));
            prop_assert_eq!(root_by_path(&hashes[index], size, size, &path), None);
            let mut longer = path.clone();
            longer.push(other);
            prop_assert_eq!(root_by_path(&hashes[index], at, size, &longer), None);
            if !path.is_empty() {
                prop_assert_eq!(root_by_path(&hashes[index], at, size, &path[1..]), None);
                let mut changed = path.clone();
                changed[0] = other;
                prop_assert_ne!(root_by_path(&hashes[index], at, size, &changed), Some(root));
            }
        }

        #[test]
        fn a_changed_leaf_changes_the_root(count in 1_usize..200, index in any::<prop::sample::Index>()) {
            let mut hashes = hashes(count);
            let root = root_of(&hashes);
            hashes[index.index(count)] = leaf_hash(b"changed");
            prop_assert_ne!(root_of(&hashes), root);
        }

        #[test]
        fn subtrees_of_equal_size_make_the_same_tree(
            count in 1_usize..300,
            power in 0_u32..6,
            index in any::<prop::sample::Index>(),
        ) {
            let (hashes, size, index) = (hashes(count), 1_usize << power, index.index(count));
            let roots: Vec<Hash> = hashes.chunks(size).map(root_of).collect();
            prop_assert_eq!(root_of(&roots), root_of(&hashes));
            let subtree = hashes.chunks(size).nth(index / size).unwrap();
            let mut path = inclusion_path(subtree, index % size).unwrap();
            path.extend(inclusion_path(&roots, index / size).unwrap());
            prop_assert_eq!(Some(path), inclusion_path(&hashes, index));
        }
    }

    #[test]
    fn leaves_and_nodes_are_told_apart() {
        let [left, right] = [leaf_hash(b"a"), leaf_hash(b"b")];
        assert_ne!(leaf_hash(&[left, right].concat()), root_of(&[left, right]));
        assert_eq!(from_hex(ROOTS[0]), Some(MerkleRoot::default().root()));
    }
}
