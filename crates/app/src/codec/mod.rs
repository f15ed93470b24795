//! How accepted payloads are kept: zstd, and a fingerprint; and what their content is known by.

use crate::port::StoreError;
use cutover_model::{Account, Encode, TaskParams, Writer};
use std::cell::RefCell;
use std::sync::LazyLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::{CParameter, DictAttachPref};

/// Payloads are short-lived and many: speed counts more than size.
const LEVEL: i32 = 1;
/// What payloads have in common (decision 0003). Rows are unpacked by it: it is never changed, only followed
/// by another with a number of its own, which each packed payload names.
static DICTIONARY: &[u8] = include_bytes!("payload.1.dict");
/// A payload unpacks to no more than this, whatever its row says: 64 MiB.
const MAX_UNPACKED: usize = 64 << 20;

/// Of a buffer that grew beyond it, no more is kept for the next payload.
const MAX_KEPT: usize = 256 << 10;

thread_local! {
    /// What compresses is made once for a thread: to make one costs as much as to use it on a small payload.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    /// Where a payload is written that is only looked at: memory of that size goes back to the system soon,
    /// and would have to be got from there anew for each.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What `work` makes of an empty buffer that it may fill.
fn with_scratch<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.clear();
        let made = work(scratch);
        scratch.clear();
        scratch.shrink_to(MAX_KEPT);
        made
    })
}

/// Of JSON, long matches are worth looking for, and in a table that stays in the nearest cache. The
/// dictionary's own table is used where it lies: zstd would copy it for payloads of more than 8 KB, which
/// takes a tenth longer.
fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_dictionary(LEVEL, DICTIONARY)?;
    compressor.set_parameter(CParameter::HashLog(13))?;
    compressor.set_parameter(CParameter::MinMatch(7))?;
    compressor.set_parameter(CParameter::ForceAttachDict(DictAttachPref::ForceAttach))?;
    Ok(compressor)
}

/// The payload as it is stored.
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

/// The payload as it was accepted.
pub(crate) fn unpack(stored: &[u8]) -> Result<Vec<u8>, StoreError> {
    static PREPARED: LazyLock<DecoderDictionary<'static>> =
        LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));
    Decompressor::with_prepared_dictionary(&PREPARED)
        .and_then(|mut unpacker| unpacker.decompress(stored, MAX_UNPACKED))
        .map_err(|e| StoreError::Corrupt(format!("a payload does not unpack: {e}")))
}

/// Of a packed payload, which is a sixth of what was sent: equal if the same bytes were packed by the same
/// program, never for others.
pub(crate) fn fingerprint(packed: &[u8]) -> [u8; 32] {
    *blake3::hash(packed).as_bytes()
}

/// Equal for equal content (contract D5): the account and the task parameters with their defaults,
/// members in any order, numbers by value, strings as sent.
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

/// Equal for objects of equal content, by the same measure.
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
