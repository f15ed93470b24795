use super::line;
use cutover_app::operator::{Archive, ArchivedProcess};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A file of archived processes, which only its owner can read. It is only appended to, by one run at a time.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    out: BufWriter<File>,
}

impl ArchiveFile {
    /// Opens an archive, or creates it.
    ///
    /// # Errors
    /// If it cannot be opened, is not an archive, or others may read it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = match options().create_new(true).open(path) {
            Ok(file) => {
                sync_folder(path)?;
                file
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => reopen(path)?,
            Err(error) => return Err(error),
        };
        file.try_lock().map_err(|_| io::Error::other("another command writes to it"))?;
        seek_to_end(&file)?;
        Ok(Self { out: BufWriter::new(file) })
    }
}

impl Archive for ArchiveFile {
    fn append(&mut self, process: &ArchivedProcess) -> io::Result<()> {
        line::write(&mut self.out, process)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes the name of a new file durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn reopen(path: &Path) -> io::Result<File> {
    let found = path.symlink_metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 != 0 {
        return Err(io::Error::other("others may read it; it holds personal data: set its mode to 600"));
    }
    options().open(path)
}

/// Truncates the file after its last complete line. An incomplete line is the remainder of a failed run, which did not
/// remove its process.
fn seek_to_end(mut file: &File) -> io::Result<()> {
    let mut beginning = Vec::new();
    file.take(line::BEGINNING.len() as u64).read_to_end(&mut beginning)?;
    if !line::BEGINNING.starts_with(&beginning) {
        return Err(io::Error::other("it exists and is not an archive"));
    }
    let length = file.seek(SeekFrom::End(0))?;
    let whole = complete_lines(file, length)?;
    if whole < length {
        file.set_len(whole)?;
    }
    Ok(())
}

/// Returns the length of the complete lines. Lines may be long, so the file is read in pieces from its end.
fn complete_lines(mut file: &File, length: u64) -> io::Result<u64> {
    const PIECE: u64 = 1 << 16;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        let mut piece = Vec::new();
        file.take(end - start).read_to_end(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    const WHOLE: &str = "{\"archive\":1,\"x\":1}\n";

    fn folder_with(content: &str) -> TempDir {
        let folder = TempDir::new().unwrap();
        drop(options().create_new(true).open(folder.path().join("a")).unwrap());
        fs::write(folder.path().join("a"), content).unwrap();
        folder
    }

    #[test]
    fn an_archive_continues_after_its_last_complete_line() {
        let long = format!("{WHOLE}{{\"archive\":1,\"{}\"}}\n", "x".repeat(200_000));
        for (content, whole) in [
            ("", ""),
            ("{\"arch", ""),
            (WHOLE, WHOLE),
            (&*format!("{WHOLE}{{\"archive\":1,\"tor"), WHOLE),
            (&long, &long),
            (&long[..long.len() - 1], WHOLE),
        ] {
            let folder = folder_with(content);
            drop(ArchiveFile::open(&folder.path().join("a")).unwrap());
            assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), whole);
        }
    }

    #[test]
    fn a_file_that_is_not_an_archive_is_left_unchanged() {
        for content in ["x", "\n", "{\"archive\":2,\"x\":1}\n", "{\"archives\":1}\n"] {
            let folder = folder_with(content);
            let refused = ArchiveFile::open(&folder.path().join("a")).unwrap_err();
            assert_eq!(refused.to_string(), "it exists and is not an archive");
            assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), content);
        }
        let folder = TempDir::new().unwrap();
        assert!(ArchiveFile::open(folder.path()).is_err());
        assert!(ArchiveFile::open(&folder.path().join("none/a")).is_err());
    }

    #[test]
    fn one_command_writes_to_an_archive_at_a_time() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        let first = ArchiveFile::open(&path).unwrap();
        assert_eq!(ArchiveFile::open(&path).unwrap_err().to_string(), "another command writes to it");
        drop(first);
        assert!(ArchiveFile::open(&path).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_an_archive() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        drop(ArchiveFile::open(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(ArchiveFile::open(&path).unwrap_err().to_string().starts_with("others may read it"));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(ArchiveFile::open(&link).unwrap_err().to_string(), "it is not a regular file");
    }
}
