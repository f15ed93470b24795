use crate::{ObjectSpec, Transaction};
use std::borrow::Cow;

/// What is said of an object of an answer in its declaration.
#[derive(Debug)]
pub struct AnswerSpec {
    /// The name of its type, and of its schema.
    pub ident: &'static str,
    /// What the object is.
    pub doc: &'static str,
    /// Its members, in the order they are written.
    pub members: &'static [AnswerMember],
}

/// What is said of one member of an answer.
#[derive(Debug)]
pub struct AnswerMember {
    /// The member's name.
    pub name: &'static str,
    /// What the member is.
    pub doc: &'static str,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it may be `null`.
    pub nullable: bool,
    /// What it holds.
    pub kind: AnswerKind,
}

/// What a member of an answer holds.
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
    /// A whole number.
    Integer,
    /// A decimal, written as a string so that no digit is lost.
    Decimal,
    /// An object with a whole number for each of these words.
    Counts(&'static [&'static str]),
    /// An object.
    Object(&'static AnswerSpec),
    /// An object of a payload, as stored.
    Payload(&'static ObjectSpec),
    /// An array.
    List(&'static AnswerKind),
    /// An object as sent, whatever it holds.
    AsSent,
}

/// A type whose values stand in answers.
pub trait Shown {
    /// What such a value is on the wire.
    const KIND: AnswerKind;
    /// Whether it may be `null`.
    const NULLABLE: bool = false;
}

impl Shown for String {
    const KIND: AnswerKind = AnswerKind::Text;
}

impl Shown for &'static str {
    const KIND: AnswerKind = AnswerKind::Text;
}

impl Shown for Cow<'static, str> {
    const KIND: AnswerKind = AnswerKind::Text;
}

impl Shown for i64 {
    const KIND: AnswerKind = AnswerKind::Integer;
}

impl Shown for u64 {
    const KIND: AnswerKind = AnswerKind::Integer;
}

impl<T: Shown> Shown for Option<T> {
    const KIND: AnswerKind = T::KIND;
    const NULLABLE: bool = true;
}

impl<T: Shown> Shown for Vec<T> {
    const KIND: AnswerKind = AnswerKind::List(&T::KIND);
}

impl Shown for Transaction<'_> {
    const KIND: AnswerKind = AnswerKind::Payload(&Transaction::SPEC);
}

/// Declares objects of answers: a plain type each, and its [`AnswerSpec`] of the same members.
///
/// A member is `name: type;`, or `name: type, kind;` where the type does not tell what it holds, with the kinds
/// of `answer_kind!`. `as "…"` names it otherwise on the wire; an attribute of serde in brackets leaves it out.
/// A `fixed` member always has the same word, and the type does not hold it.
macro_rules! answers {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident ($($derive:ident),*) {
            $( fixed $fixed:ident = $word:literal, $fixed_doc:literal; )*
            $(
                $(#[doc = $field_doc:literal])+
                $field:ident $(as $wire:literal)? $([$left_out:meta])? : $type:ty
                    $(, $kind:ident $( ( $($args:tt)* ) )? )? ;
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
                pub const SPEC: $crate::describe::AnswerSpec = $crate::describe::AnswerSpec {
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
                            kind: answer_kind!($type $(, $kind $( ($($args)*) )?)?),
                        },)*
                    ],
                };
            }

            impl $crate::describe::Shown for $name {
                const KIND: $crate::describe::AnswerKind = $crate::describe::AnswerKind::Object(&$name::SPEC);
            }
        )*
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

/// What a member of an answer holds.
macro_rules! answer_kind {
    ($type:ty) => { <$type as $crate::describe::Shown>::KIND };
    ($type:ty, datetime) => { $crate::describe::AnswerKind::DateTime };
    ($type:ty, decimal) => { $crate::describe::AnswerKind::Decimal };
    ($type:ty, counts($($word:literal),+)) => { $crate::describe::AnswerKind::Counts(&[$($word),+]) };
    ($type:ty, code) => { $crate::describe::AnswerKind::Code };
    ($type:ty, as_sent) => { $crate::describe::AnswerKind::AsSent };
    ($type:ty, words($($word:literal),+)) => { $crate::describe::AnswerKind::Words(&[$($word),+]) };
}
