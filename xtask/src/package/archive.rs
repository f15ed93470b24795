//! Files and folders of an archive, which is the same for the same content.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::cargo;
use crate::error::Error;

/// Files and folders, sorted by path.
#[derive(Default)]
pub(super) struct Tree {
    nodes: BTreeMap<String, Node>,
}

struct Node {
    /// `None` for a folder.
    content: Option<Vec<u8>>,
    mode: u32,
}

impl Tree {
    /// Adds a file that everybody may read, and the folders above it.
    pub(super) fn file(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.file_with(path, content, 0o644);
    }

    /// Adds a program, and the folders above it.
    pub(super) fn program(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.file_with(path, content, 0o755);
    }

    /// Adds a file with a mode, and the folders above it.
    pub(super) fn file_with(&mut self, path: &str, content: impl Into<Vec<u8>>, mode: u32) {
        self.insert(path, Node { content: Some(content.into()), mode });
    }

    /// Adds a copy of a file of the repository.
    pub(super) fn copy(&mut self, path: &str, source: &str) -> Result<(), Error> {
        self.file(path, read(&cargo::root().join(source))?);
        Ok(())
    }

    /// Adds a copy of each file of a folder of the repository, without its subfolders.
    pub(super) fn copy_folder(&mut self, path: &str, source: &str) -> Result<(), Error> {
        let folder = cargo::root().join(source);
        for entry in std::fs::read_dir(&folder).map_err(Error::file("list", &folder))? {
            let file = entry.map_err(Error::file("list", &folder))?.path();
            if let Some(name) = file.file_name().filter(|_| file.is_file()) {
                self.file(&format!("{path}/{}", name.to_string_lossy()), read(&file)?);
            }
        }
        Ok(())
    }

    /// The sum of the sizes of all files in bytes.
    pub(super) fn size(&self) -> usize {
        self.nodes.values().filter_map(|node| node.content.as_ref()).map(Vec::len).sum()
    }

    /// Packs everything, dated in seconds since 1970.
    pub(super) fn tar_gz(&self, date: u64) -> io::Result<Vec<u8>> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for (path, node) in &self.nodes {
            let content = node.content.as_deref();
            builder.append(&header(path, node, date)?, content.unwrap_or_default())?;
        }
        let mut gzip = builder.into_inner()?;
        gzip.flush()?;
        gzip.finish()
    }

    fn insert(&mut self, path: &str, node: Node) {
        for (at, _) in path.match_indices('/') {
            let folder = || Node { content: None, mode: 0o755 };
            self.nodes.entry(path[..at].to_owned()).or_insert_with(folder);
        }
        self.nodes.insert(path.to_owned(), node);
    }
}

/// Reads a file as bytes.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::file("read", path))
}

fn header(path: &str, node: &Node, date: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_mode(node.mode);
    header.set_mtime(date);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    header.set_entry_type(match node.content {
        Some(_) => EntryType::Regular,
        None => EntryType::Directory,
    });
    header.set_size(node.content.as_ref().map_or(0, |content| content.len() as u64));
    header.set_cksum();
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;

    fn tree(names: &[&str]) -> Tree {
        let mut tree = Tree::default();
        names.iter().for_each(|name| tree.file(name, name.as_bytes()));
        tree
    }

    #[test]
    fn folders_precede_their_files_and_belong_to_root() {
        let packed = tree(&["usr/bin/b", "usr/a"]).tar_gz(7).unwrap();
        let mut archive = tar::Archive::new(GzDecoder::new(packed.as_slice()));
        let entries: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let header = entry.header();
                assert_eq!(header.mtime().unwrap(), 7);
                let path = entry.path().unwrap().display().to_string();
                (path, header.mode().unwrap(), header.uid().unwrap(), header.gid().unwrap())
            })
            .collect();
        let expected = [("usr", 0o755), ("usr/a", 0o644), ("usr/bin", 0o755), ("usr/bin/b", 0o644)];
        assert_eq!(entries, expected.map(|(path, mode)| (path.to_owned(), mode, 0, 0)));
    }

    #[test]
    fn the_order_of_additions_does_not_matter() {
        assert_eq!(tree(&["a", "b/c"]).tar_gz(1).unwrap(), tree(&["b/c", "a"]).tar_gz(1).unwrap());
        assert_eq!(tree(&["a", "b/c"]).size(), 4);
    }
}
