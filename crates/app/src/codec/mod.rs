//! Compression and fingerprints of accepted payloads, and hashes of content.

mod again;

pub(crate) use again::decode_again;

use crate::port::StoreError;
use cutover_model::{Account, Encode, TaskParams, Writer};
use std::cell::RefCell;
use std::sync::LazyLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::{CParameter, DictAttachPref};

/// The fastest level: payloads are numerous and short-lived, so speed counts more than size.
const LEVEL: i32 = 1;
/// Compression dictionary (decision 0003). Stored payloads need it, so it must not change. A new one gets
/// another number, which each compressed payload contains.
static DICTIONARY: &[u8] = include_bytes!("payload.1.dict");
/// Maximum size of a decompressed payload, whatever its frame states: 64 MiB.
const MAX_UNPACKED: usize = 64 << 20;

/// Maximum capacity of the scratch buffer that is kept for the next payload.
const MAX_KEPT: usize = 256 << 10;

thread_local! {
    /// Reused by a thread, because creating a compressor costs as much as compressing a small payload.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    /// Reused for the same reason.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    /// Reused buffer for temporary data: the allocator returns memory of that size to the system and would
    /// have to map it again for each payload.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with an empty buffer that it may fill.
fn with_scratch<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.clear();
        let made = work(scratch);
        scratch.clear();
        scratch.shrink_to(MAX_KEPT);
        made
    })
}

/// Returns a compressor tuned for JSON: long matches, in a table that fits the first-level cache. It attaches
/// the dictionary's table, which zstd would copy for payloads of more than 8 KB, a tenth slower.
fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_dictionary(LEVEL, DICTIONARY)?;
    compressor.set_parameter(CParameter::HashLog(13))?;
    compressor.set_parameter(CParameter::MinMatch(7))?;
    compressor.set_parameter(CParameter::ForceAttachDict(DictAttachPref::ForceAttach))?;
    Ok(compressor)
}

/// Compresses a payload for the store.
pub(crate) fn pack(payload: &[u8]) -> Result<Vec<u8>, StoreError> {
    let packed = COMPRESSOR.with_borrow_mut(|made| {
        let compressor = match made {
            Some(compressor) => compressor,
            None => made.insert(compressor()?),
        };
        with_scratch(|packed| {
            packed.reserve(zstd::zstd_safe::compress_bound(payload.len()));
            compressor.compress_to_buffer(payload, packed)?;
            Ok(packed.to_vec())
        })
    });
    packed.map_err(|e: std::io::Error| StoreError::Failed(format!("compression failed: {e}")))
}

/// Decompresses a stored payload.
pub(crate) fn unpack(stored: &[u8]) -> Result<Vec<u8>, StoreError> {
    static PREPARED: LazyLock<DecoderDictionary<'static>> =
        LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));
    let unpacked = DECOMPRESSOR.with_borrow_mut(|made| {
        let decompressor = match made {
            Some(decompressor) => decompressor,
            None => made.insert(Decompressor::with_prepared_dictionary(&PREPARED)?),
        };
        decompressor.decompress(stored, MAX_UNPACKED)
    });
    unpacked
        .map_err(|e: std::io::Error| StoreError::Corrupt(format!("a payload cannot be decompressed: {e}")))
}

/// Hashes a compressed payload, a sixth of the size sent. Equal if the same program compressed the same
/// bytes, different for other bytes.
pub(crate) fn fingerprint(packed: &[u8]) -> [u8; 32] {
    *blake3::hash(packed).as_bytes()
}

/// Hashes the content of an account request (contract D5): the account and the task parameters with their
/// defaults, independent of the order of members and the notation of numbers, with strings as sent.
pub(crate) fn account(account: &Account<'_>, params: Option<&TaskParams<'_>>) -> [u8; 32] {
    hash(|writer| {
        writer.array(|writer| {
            account.encode(writer);
            let is_dry_run = params.and_then(|p| p.is_dry_run).unwrap_or_default();
            writer.raw(if is_dry_run { "true" } else { "false" });
            for bound in [params.map(|p| &p.schedule_window_start), params.map(|p| &p.schedule_window_end)] {
                match bound.and_then(|b| b.value()) {
                    Some(datetime) => writer.string(datetime.as_sent()),
                    None => writer.raw("null"),
                }
            }
        });
    })
}

/// Hashes the content of an object, in the same way.
pub(crate) fn content(object: &impl Encode) -> [u8; 32] {
    hash(|writer| object.encode(writer))
}

fn hash(write: impl FnOnce(&mut Writer)) -> [u8; 32] {
    with_scratch(|scratch| {
        let mut writer = Writer::canonical().into(std::mem::take(scratch));
        write(&mut writer);
        *scratch = writer.into_bytes();
        *blake3::hash(scratch).as_bytes()
    })
}

#[cfg(test)]
mod tests;
