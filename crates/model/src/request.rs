//! Decoding whole request bodies.

use crate::decode::{Check, Decoder, Draft, Field, FieldSpec, Finding, Hints, Limits, Members};
use crate::draft;
use crate::json::{Next, SyntaxError, SyntaxErrorKind};
use crate::payload::IntoValid;
use crate::{Account, TaskParams};
use cutover_core::{Level, Zone};

/// What decoding made of a body: a draft for the rules and what the field checks found.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The request, every member absent, usable or faulty. `None` if the body is no JSON object.
    pub draft: Option<T>,
    /// Errors and remarks of the field checks, by path and code; at most 1,001 of each.
    pub findings: Vec<Finding>,
    /// Whether another zone could change a finding: a datetime without offset lies at the edge of
    /// years 1 to 9999. Decode again with the supplier's zone then.
    pub zone_matters: bool,
}

impl<T> Decoded<T> {
    /// Whether a field check found an error, so that the request is refused whatever the rules say.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.check.level == Level::Error)
    }
}

/// The body of validate and create: an account, bare or in its envelope (contract D5).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccountRequest<'j> {
    /// The account.
    pub account: Field<draft::Account<'j>>,
    /// When and how to import it.
    pub task_params: Field<draft::TaskParams<'j>>,
}

impl<'j> AccountRequest<'j> {
    /// The plain account and task parameters; `None` if a value is faulty or a required one is missing. A list that is
    /// too short is a finding and yet a value: look at the findings as well.
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
/// It is the envelope if it has a member `payload` or `task_params` (fields 2). Paths start inside the
/// account in both forms (fields 1.8).
///
/// # Errors
/// [`SyntaxError`] if the body is not JSON; every other fault is a finding.
pub fn decode_account(body: &[u8], zone: Zone) -> Result<Decoded<AccountRequest<'_>>, SyntaxError> {
    decode_account_within(body, zone, Limits::default())
}

/// The same with other limits than those of fields 1.6.
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
    /// What `read` makes of a text that holds one object.
    fn whole<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SyntaxErrorKind>,
    ) -> Result<Decoded<T>, SyntaxError> {
        let draft = self.only(read).map_err(|kind| self.cursor.broken(kind))?;
        if self.is_overfull && self.findings.errors_since(0) == 0 {
            // A draft with holes must not pass. No valid payload takes so much room: this is for what nobody thought of.
            self.findings.add(&Check::TOO_MANY_ITEMS);
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

/// A draft that is another one but for what is said last.
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

/// A bare account that notices the members of an envelope.
#[derive(Default)]
struct BareAccount<'j> {
    account: draft::Account<'j>,
    is_envelope: bool,
}

draft_like! {
    BareAccount is Account in account,

    fn undocumented(&mut self, name: &str) -> Option<&'static Check> {
        self.is_envelope |= matches!(name, "payload" | "task_params");
        Some(&Check::UNKNOWN_FIELD)
    }
}

/// An envelope whose payload's paths start inside the account (fields 1.8).
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

/// A request that comes bare only: those of version 1.
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
                /// The plain request; `None` if a value is faulty or a required one is missing. A list that is too
                /// short is a finding and yet a value: look at the findings as well.
                pub fn into_valid(self) -> Option<crate::$object<'j>> {
                    IntoValid::into_valid(self)
                }
            }
        )*
    };
}

/// Decodes a text that is to hold this object and nothing else.
pub(crate) fn decode<'j, T: Draft<'j>>(
    body: &'j [u8],
    zone: Zone,
    limits: Limits,
) -> Result<Decoded<T>, SyntaxError> {
    Decoder::new(body, zone, limits)?.whole(object)
}

/// Decodes a text of ours: arrays have grown, and sums have more digits than what was sent.
pub(crate) fn decode_kept<'j, T: Draft<'j>>(body: &'j [u8]) -> Result<Decoded<T>, SyntaxError> {
    let limits = Limits { batch_items: u32::MAX, items: u32::MAX };
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
}
