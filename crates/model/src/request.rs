//! Decoding whole request bodies.

use crate::convert::IntoValid;
use crate::decode::{Check, Decoder, Draft, Field, FieldSpec, Finding, Hints, Limits, Members, Sent};
use crate::draft;
use crate::json::{Next, SyntaxError, SyntaxErrorKind};
use crate::{Account, TaskParams};
use cutover_core::{Level, Zone};

/// The result of decoding a body: a draft for the rules, and the findings of the field checks.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The request, in which every member is absent, usable or faulty. `None` if the body is not a JSON
    /// object.
    pub draft: Option<T>,
    /// Errors and remarks of the field checks, sorted by path and code; at most 1,001 of each.
    pub findings: Vec<Finding>,
    /// If set, another zone could change a finding, because a datetime without offset is at the edge of the
    /// years 1 to 9999: decode again with the supplier's zone.
    pub zone_matters: bool,
}

impl<T> Decoded<T> {
    /// Returns true if a field check found an error, so that the request is refused whatever the rules find.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.check.level == Level::Error)
    }
}

/// The body of validate and create: an account, bare or in its envelope (contract D5).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccountRequest<'j> {
    /// The account.
    pub account: Field<draft::Account<'j>>,
    /// The parameters of the import.
    pub task_params: Field<draft::TaskParams<'j>>,
}

impl<'j> AccountRequest<'j> {
    /// The plain account and task parameters; `None` if a value is faulty or a required one is missing. A
    /// list that is too short is still a value: check the findings as well.
    pub fn into_valid(self) -> Option<(Account<'j>, Option<TaskParams<'j>>)> {
        let account = self.account.into_required()?.into_valid()?;
        let params = match self.task_params.into_nullable()? {
            crate::Nullable::Value(params) => Some(params.into_valid()?),
            crate::Nullable::Null | crate::Nullable::Absent => None,
        };
        Some((account, params))
    }
}

/// Decodes the body of validate or create.
///
/// It is an envelope if it has a member `payload` or `task_params` (fields 2). In both forms, paths start
/// inside the account (fields 1.8).
///
/// # Errors
/// [`SyntaxError`] if the body is not JSON; every other fault is a finding.
pub fn decode_account(body: &[u8], zone: Zone) -> Result<Decoded<AccountRequest<'_>>, SyntaxError> {
    decode_account_within(body, zone, Limits::default())
}

/// Decodes the body of validate or create with other limits than those of fields 1.6.
///
/// # Errors
/// [`SyntaxError`] if the body is not JSON; every other fault is a finding.
pub fn decode_account_within(
    body: &[u8],
    zone: Zone,
    limits: Limits,
) -> Result<Decoded<AccountRequest<'_>>, SyntaxError> {
    Decoder::new(body, zone, limits)?.whole(account_request)
}

fn account_request<'j>(decoder: &mut Decoder<'j>) -> Result<AccountRequest<'j>, SyntaxErrorKind> {
    let (start, room) = (decoder.cursor.mark(), decoder.room);
    let mut bare = BareAccount::default();
    decoder.members(&mut bare)?;
    if !bare.is_envelope {
        return Ok(AccountRequest { account: Field::Value(bare.account), task_params: Field::Absent });
    }
    drop(bare);
    decoder.cursor.rewind(start, 0);
    decoder.findings.forget(0);
    decoder.room = room;
    let mut body = Envelope::default();
    decoder.members(&mut body)?;
    let envelope = body.envelope;
    Ok(AccountRequest { account: envelope.payload, task_params: envelope.task_params })
}

impl<'j> Decoder<'j> {
    /// Decodes a text of one object with `read`.
    fn whole<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SyntaxErrorKind>,
    ) -> Result<Decoded<T>, SyntaxError> {
        let draft = self.only(read).map_err(|kind| self.cursor.broken(kind))?;
        if self.is_overfull && self.findings.errors_since(0) == 0 {
            // A draft with missing items must not pass. No known valid payload takes so much room, unless the memory of the
            // process is limited.
            self.findings.add(&Check::TOO_MANY_ITEMS, Sent::Other);
        }
        Ok(Decoded { draft, findings: self.findings.finish(), zone_matters: self.zone_matters })
    }

    fn only<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SyntaxErrorKind>,
    ) -> Result<Option<T>, SyntaxErrorKind> {
        let draft = match self.cursor.peek()? {
            Next::Object => Some(read(self)?),
            _ => self.refuse(&Check::NO_OBJECT)?,
        };
        self.cursor.finish()?;
        Ok(draft)
    }
}

/// Declares a draft that wraps another one and overrides the given methods.
macro_rules! draft_like {
    ($name:ident is $inner:ident in $field:ident, $($item:item)*) => {
        impl<'j> Draft<'j> for $name<'j> {
            const FIELDS: &'static [FieldSpec] = <draft::$inner<'j> as Draft<'j>>::FIELDS;

            fn hints() -> &'static Hints {
                draft::$inner::hints()
            }
        }

        impl<'j> Members<'j> for $name<'j> {
            fn decode_member(&mut self, index: usize, decoder: &mut Decoder<'j>) -> Result<(), SyntaxErrorKind> {
                self.$field.decode_member(index, decoder)
            }

            $($item)*
        }
    };
}

/// A bare account that detects the members of an envelope.
#[derive(Default)]
struct BareAccount<'j> {
    account: draft::Account<'j>,
    is_envelope: bool,
}

draft_like! {
    BareAccount is Account in account,

    fn undocumented(&mut self, name: &str, fields: &'static [FieldSpec]) -> Option<(&'static Check, Sent)> {
        self.is_envelope |= matches!(name, "payload" | "task_params");
        Some((&Check::UNKNOWN_FIELD, Sent::Among(fields)))
    }
}

/// An envelope in which paths start inside the account (fields 1.8).
#[derive(Default)]
struct Envelope<'j> {
    envelope: draft::AccountEnvelope<'j>,
}

draft_like! {
    Envelope is AccountEnvelope in envelope,

    fn is_transparent(&self, index: usize) -> bool {
        Self::FIELDS[index].name == "payload"
    }
}

/// Declares the functions for requests without an envelope.
macro_rules! requests {
    ($($(#[$doc:meta])* $function:ident => $object:ident;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`SyntaxError`] if the body is not JSON; every other fault is a finding.
            pub fn $function(
                body: &[u8],
                zone: Zone,
                limits: Limits,
            ) -> Result<Decoded<draft::$object<'_>>, SyntaxError> {
                decode(body, zone, limits)
            }

            impl<'j> draft::$object<'j> {
                /// The plain request; `None` if a value is faulty or a required one is missing. A list that
                /// is too short is still a value: check the findings as well.
                pub fn into_valid(self) -> Option<crate::$object<'j>> {
                    IntoValid::into_valid(self)
                }
            }
        )*
    };
}

/// Decodes a text of one object.
pub(crate) fn decode<'j, T: Draft<'j>>(
    body: &'j [u8],
    zone: Zone,
    limits: Limits,
) -> Result<Decoded<T>, SyntaxError> {
    Decoder::new(body, zone, limits)?.whole(object)
}

/// Decodes a stored text: arrays may have grown, and sums may have more digits than payloads allow.
pub(crate) fn decode_stored<'j, T: Draft<'j>>(body: &'j [u8]) -> Result<Decoded<T>, SyntaxError> {
    let limits = Limits { batch_items: u32::MAX, items: u32::MAX, ..Limits::default() };
    Decoder { any_digits: true, room: usize::MAX, ..Decoder::new(body, Zone::UTC, limits)? }.whole(object)
}

fn object<'j, T: Draft<'j>>(decoder: &mut Decoder<'j>) -> Result<T, SyntaxErrorKind> {
    let mut draft = T::default();
    decoder.members(&mut draft)?;
    Ok(draft)
}

requests! {
    /// Decodes the body of the notes endpoint (contract 4.2).
    decode_notes => NotesRequest;
    /// Decodes the body of the transactions endpoint (contract 4.2).
    decode_transactions => TransactionsRequest;
    /// Decodes the body of the historical statements endpoint (contract 4.2).
    decode_historical_statements => HistoricalStatementsRequest;
    /// Decodes the body of the payment instruction endpoint (contract 4.2).
    decode_payment_instruction => PaymentInstructionRequest;
    /// Decodes the body of the business endpoint (contract 4.4).
    decode_business => BusinessRequest;
    /// Decodes the body of the business payment instruction endpoint (contract 4.4).
    decode_business_payment_instruction => BusinessPaymentInstructionRequest;
    /// Decodes the body of a manifest (contract D17).
    decode_manifest => ManifestRequest;
    /// Decodes the body of a part of the account numbers of a manifest (contract D17).
    decode_manifest_numbers => ManifestNumbersRequest;
    /// Decodes the body of a run (contract D23).
    decode_run => RunRequest;
    /// Decodes the body of a search for accounts (contract D12).
    decode_account_search => AccountSearchRequest;
}
