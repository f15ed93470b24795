//! Sorts records on disk in bounded memory.
//!
//! Records collect in memory. When there are too many, they are sorted and written to a temporary file without a name;
//! files are merged as they become many. The crates for this bound the number of records in memory, not their size.

use super::record::order;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Bytes of records in memory.
const MAX_MEMORY: usize = 48 << 20;
/// Files that are merged at a time, those of a level to one of the next. Each has a row in memory, of up to 16 MiB.
const MAX_RUNS: usize = 8;

/// Takes records in any order.
pub(super) struct Sorter {
    bytes: Vec<u8>,
    /// Where each record is in `bytes`.
    records: Vec<(u32, u32)>,
    max_memory: usize,
    /// Sorted files; those of a level were merged equally often.
    levels: Vec<Vec<File>>,
}

impl Sorter {
    pub(super) fn new() -> Self {
        Self::with_memory(MAX_MEMORY)
    }

    fn with_memory(max_memory: usize) -> Self {
        Self { bytes: Vec::new(), records: Vec::new(), max_memory, levels: Vec::new() }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub(super) fn push(&mut self, record: &[u8]) -> io::Result<()> {
        let used = self.bytes.len() + self.records.len() * size_of::<(u32, u32)>();
        if used + record.len() > self.max_memory && !self.records.is_empty() {
            self.spill()?;
        }
        let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let start = u32::try_from(self.bytes.len()).map_err(too_large)?;
        self.records.push((start, u32::try_from(record.len()).map_err(too_large)?));
        self.bytes.extend_from_slice(record);
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.records.sort_unstable_by(|one, other| order(slice(bytes, *one), slice(bytes, *other)));
    }

    /// Writes what is in memory to a file.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for record in self.records.drain(..) {
            write(&mut out, slice(&self.bytes, record))?;
        }
        self.bytes.clear();
        self.add_run(0, out.into_inner()?)
    }

    fn add_run(&mut self, level: usize, run: File) -> io::Result<()> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        self.levels[level].push(run);
        if self.levels[level].len() < MAX_RUNS {
            return Ok(());
        }
        let merged = merge(std::mem::take(&mut self.levels[level]))?;
        self.add_run(level + 1, merged)
    }

    /// The records in order.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn finish(mut self) -> io::Result<Sorted> {
        if self.levels.is_empty() {
            self.sort();
            return Sorted::of(vec![Run::Memory { bytes: self.bytes, records: self.records.into_iter() }]);
        }
        // The accounts need the memory next.
        self.spill()?;
        let mut files: Vec<File> = self.levels.into_iter().flatten().collect();
        while files.len() > MAX_RUNS {
            let others = files.split_off(MAX_RUNS);
            let merged = merge(files)?;
            files = others;
            files.push(merged);
        }
        Sorted::of_files(files)
    }
}

/// Merges sorted files to one.
fn merge(files: Vec<File>) -> io::Result<File> {
    let mut merged = Sorted::of_files(files)?;
    let mut out = BufWriter::new(tempfile::tempfile()?);
    while let Some(record) = merged.next()? {
        write(&mut out, &record)?;
    }
    Ok(out.into_inner()?)
}

fn slice(bytes: &[u8], (start, length): (u32, u32)) -> &[u8] {
    &bytes[start as usize..][..length as usize]
}

fn write(out: &mut impl Write, record: &[u8]) -> io::Result<()> {
    out.write_all(&(record.len() as u32).to_le_bytes())?;
    out.write_all(record)
}

/// Records in order, from a file or from memory.
enum Run {
    File(BufReader<File>),
    Memory { bytes: Vec<u8>, records: std::vec::IntoIter<(u32, u32)> },
}

impl Run {
    fn of_file(mut file: File) -> io::Result<Self> {
        file.rewind()?;
        Ok(Self::File(BufReader::with_capacity(64 << 10, file)))
    }

    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Memory { bytes, records } => Ok(records.next().map(|record| slice(bytes, record).to_vec())),
            Self::File(file) => {
                let mut length = [0; 4];
                match file.read_exact(&mut length) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                    done => done?,
                }
                let mut record = vec![0; u32::from_le_bytes(length) as usize];
                file.read_exact(&mut record)?;
                Ok(Some(record))
            }
        }
    }
}

/// The next record of a run. The heap has the greatest on top, so the order is reversed.
struct Head {
    record: Vec<u8>,
    run: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        order(&other.record, &self.record)
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

/// Sorted records.
pub(super) struct Sorted {
    runs: Vec<Run>,
    heads: BinaryHeap<Head>,
}

impl Sorted {
    fn of_files(files: Vec<File>) -> io::Result<Self> {
        Self::of(files.into_iter().map(Run::of_file).collect::<io::Result<_>>()?)
    }

    fn of(mut runs: Vec<Run>) -> io::Result<Self> {
        let mut heads = BinaryHeap::new();
        for (run, from) in runs.iter_mut().enumerate() {
            heads.extend(from.next()?.map(|record| Head { record, run }));
        }
        Ok(Self { runs, heads })
    }

    /// The next record.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(Head { record, run }) = self.heads.pop() else { return Ok(None) };
        self.heads.extend(self.runs[run].next()?.map(|record| Head { record, run }));
        Ok(Some(record))
    }

    /// The next record, which stays.
    pub(super) fn peek(&self) -> Option<&[u8]> {
        self.heads.peek().map(|head| &*head.record)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{Record, RecordKey};
    use super::*;

    /// Small memory, so that runs are spilled and merged over several levels.
    #[test]
    fn records_come_in_order_however_many_runs_there_are() {
        let record = |n: u64| {
            let number = format!("A-{}", n.wrapping_mul(7_919) % 10_007);
            let key = RecordKey { account: &number, table: (n % 3) as u16, file: 0, line: n };
            Record::encode(key, &[], &[])
        };
        let mut sorter = Sorter::with_memory(400);
        let mut expected: Vec<_> = (0..10_000).map(record).collect();
        expected.iter().for_each(|record| sorter.push(record).unwrap());
        assert!(sorter.levels.len() > 2, "{}", sorter.levels.len());
        expected.sort_by(|one, other| order(one, other));
        let mut sorted = sorter.finish().unwrap();
        assert!(sorted.runs.len() <= MAX_RUNS, "{}", sorted.runs.len());
        for record in expected {
            assert_eq!(sorted.peek(), Some(&*record));
            assert_eq!(sorted.next().unwrap(), Some(record));
        }
        assert_eq!(sorted.next().unwrap(), None);
    }

    #[test]
    fn nothing_is_sorted_to_nothing() {
        assert_eq!(Sorter::new().finish().unwrap().next().unwrap(), None);
    }
}
