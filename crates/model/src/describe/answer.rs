use crate::{ObjectSpec, RowCounts, RowDifferences, Transaction};
use chrono::NaiveDate;
use cutover_core::{Code, IssueSource, ServiceAccountNumber, ShownEvent, State, StateV1, Word};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The declaration of an object in answers.
#[derive(Debug)]
pub struct AnswerSpec {
    /// The name of its type, and of its schema.
    pub ident: &'static str,
    /// The description of the object.
    pub doc: &'static str,
    /// The members, in the order they are written.
    pub members: &'static [AnswerMember],
}

/// The declaration of one member of an answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerMember {
    /// The member's name.
    pub name: &'static str,
    /// The description of the member.
    pub doc: &'static str,
    /// If set, the member may be left out.
    pub optional: bool,
    /// If set, the member may be `null`.
    pub nullable: bool,
    /// The kind of its value.
    pub kind: AnswerKind,
}

/// The kind of value of a member of an answer.
#[derive(Debug, Clone, Copy)]
pub enum AnswerKind {
    /// A string.
    Text,
    /// A day with time and offset.
    DateTime,
    /// An error code of the service.
    Code,
    /// One of these words.
    Words(&'static [&'static str]),
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A decimal, written as a string so that no digit is lost.
    Decimal,
    /// An object with a whole number for each of these words.
    Counts(&'static [&'static str]),
    /// An object with a whole number for some of these words.
    SomeCounts(&'static [&'static str]),
    /// An object with a whole number for some of these words, which may be below 0.
    SomeDifferences(&'static [&'static str]),
    /// An object.
    Object(&'static AnswerSpec),
    /// An object with a string for each of its names.
    Texts,
    /// An object of a payload, as stored.
    Payload(&'static ObjectSpec),
    /// An array.
    List(&'static AnswerKind),
    /// Any value, as sent.
    AsSent,
}

/// A type that answers contain.
pub trait Shown {
    /// The kind of the value in JSON.
    const KIND: AnswerKind;
    /// If set, the value may be `null`.
    const NULLABLE: bool = false;
}

macro_rules! shown {
    ($($type:ty => $kind:expr;)*) => {
        $(impl Shown for $type {
            const KIND: AnswerKind = $kind;
        })*
    };
}

shown! {
    String => AnswerKind::Text;
    NaiveDate => AnswerKind::Text;
    &'static str => AnswerKind::Text;
    Cow<'static, str> => AnswerKind::Text;
    ServiceAccountNumber => AnswerKind::Text;
    bool => AnswerKind::Boolean;
    u32 => AnswerKind::Integer;
    i64 => AnswerKind::Integer;
    u64 => AnswerKind::Integer;
    BTreeMap<String, String> => AnswerKind::Texts;
    Word<Code> => AnswerKind::Code;
    Word<IssueSource> => AnswerKind::Words(IssueSource::WORDS);
    State => AnswerKind::Words(State::WORDS);
    StateV1 => AnswerKind::Words(StateV1::WORDS);
    ShownEvent => AnswerKind::Words(ShownEvent::WORDS);
    Transaction<'_> => AnswerKind::Payload(&Transaction::SPEC);
    RowCounts => AnswerKind::SomeCounts(RowCounts::TABLES);
    RowDifferences => AnswerKind::SomeDifferences(RowDifferences::TABLES);
}

impl<T: Shown> Shown for Option<T> {
    const KIND: AnswerKind = T::KIND;
    const NULLABLE: bool = true;
}

impl<T: Shown> Shown for Vec<T> {
    const KIND: AnswerKind = AnswerKind::List(&T::KIND);
}

/// Declares objects of answers: a plain type each, and its [`AnswerSpec`] of the same members.
///
/// A member is `name: type;`, or `name: type, kind;` with a kind of `answer_kind!` if the type does not
/// determine it. `as "…"` sets another name in JSON; a serde attribute in brackets lets the member be left
/// out. A `fixed` member always has the same word and is not part of the type.
macro_rules! answers {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident ($($derive:ident),*) {
            $( fixed $fixed:ident = $word:literal, $fixed_doc:literal; )*
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident $(as $wire:literal)? $([$left_out:meta])? : $type:ty
                    $(, $kind:ident)? ;
            )*
        }
    )*) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, PartialEq, $($derive),*)]
            pub struct $name {
                $( $(#[doc = $field_doc])+ $(#[$left_out])? pub $field: $type, )*
            }

            impl $name {
                /// The declaration of the object and its members.
                pub const SPEC: $crate::describe::AnswerSpec = answer_spec! {
                    $name ($($doc),+);
                    $( fixed $fixed = $word, $fixed_doc; )*
                    $(
                        ($($field_doc),+)
                        $field $(as $wire)? $([$left_out])? : $type $(, $kind)? ;
                    )*
                };
            }

            impl $crate::describe::Shown for $name {
                const KIND: $crate::describe::AnswerKind = $crate::describe::AnswerKind::Object(&$name::SPEC);
            }
        )*
    };
}

/// The [`AnswerSpec`] of an object of answers.
macro_rules! answer_spec {
    (
        $name:ident ($($doc:literal),+);
        $( fixed $fixed:ident = $word:literal, $fixed_doc:literal; )*
        $(
            ($($field_doc:literal),+)
            $field:ident $(as $wire:literal)? $([$left_out:meta])? : $type:ty
                $(, $kind:ident)? ;
        )*
    ) => {
        $crate::describe::AnswerSpec {
            ident: stringify!($name),
            doc: concat!($($doc),+),
            members: &[
                $($crate::describe::AnswerMember {
                    name: stringify!($fixed),
                    doc: $fixed_doc,
                    optional: false,
                    nullable: false,
                    kind: $crate::describe::AnswerKind::Words(&[$word]),
                },)*
                $($crate::describe::AnswerMember {
                    name: wire_name!($field $($wire)?),
                    doc: concat!($($field_doc),+),
                    optional: is_left_out!($($left_out)?),
                    nullable: <$type as $crate::describe::Shown>::NULLABLE && !is_left_out!($($left_out)?),
                    kind: answer_kind!($type $(, $kind)?),
                },)*
            ],
        }
    };
}

macro_rules! is_left_out {
    () => {
        false
    };
    ($serde:meta) => {
        true
    };
}

/// The [`AnswerKind`] of a member.
macro_rules! answer_kind {
    ($type:ty) => {
        <$type as $crate::describe::Shown>::KIND
    };
    ($type:ty, datetime) => {
        $crate::describe::AnswerKind::DateTime
    };
    ($type:ty, decimal) => {
        $crate::describe::AnswerKind::Decimal
    };
    ($type:ty, code) => {
        $crate::describe::AnswerKind::Code
    };
    ($type:ty, as_sent) => {
        $crate::describe::AnswerKind::AsSent
    };
}
