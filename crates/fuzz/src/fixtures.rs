use std::io;
use std::path::Path;

/// Valid and faulty fixtures of a kind of request.
pub(crate) fn fixtures(kind: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(kind);
    let of = |folder: &str| contents(&root.join(folder)).unwrap_or_else(|e| panic!("{kind}/{folder}: {e}"));
    [of("valid"), of("faulty")].concat()
}

/// Contents of the files of a folder, in the order of their names.
pub(crate) fn contents(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.iter().map(std::fs::read).collect()
}
