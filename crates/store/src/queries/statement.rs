//! Pieces of SQL that diesel's query language lacks, or has but parses anew each time they run.

use super::dialect::Db;
use super::types::Timestamp;
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// A value that a [`statement!`] binds.
pub(super) trait Bind {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()>;
}

macro_rules! binds {
    ($($rust:ty => $sql:ty;)*) => {
        $(
            impl Bind for $rust {
                fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
                    out.push_bind_param::<$sql, $rust>(self)
                }
            }

            impl Bind for Option<$rust> {
                fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
                    out.push_bind_param::<Nullable<$sql>, Option<$rust>>(self)
                }
            }
        )*
    };
}

binds! {
    i64 => BigInt;
    bool => Bool;
    String => Text;
    &'static str => Text;
    Timestamp => super::dialect::columns::Instant;
}

/// A statement of fixed SQL, prepared once for each connection. Texts are SQL, names are fields. Needs
/// `Bind` and `Db` in scope.
macro_rules! statement {
    (
        $(#[$doc:meta])*
        $name:ident { $($field:ident: $type:ty),* $(,)? } $(-> $row:ty)? = $($piece:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Debug, diesel::query_builder::QueryId)]
        pub(super) struct $name {
            $(pub(super) $field: $type,)*
        }

        impl diesel::query_builder::QueryFragment<Db> for $name {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, Db>,
            ) -> diesel::QueryResult<()> {
                pieces!(self out $($piece)*);
                Ok(())
            }
        }

        $(
            impl diesel::query_builder::Query for $name {
                type SqlType = $row;
            }
        )?

        impl<C> diesel::RunQueryDsl<C> for $name {}
    };
}

macro_rules! pieces {
    ($self:ident $out:ident) => {};
    ($self:ident $out:ident $text:literal $($rest:tt)*) => {
        $out.push_sql($text);
        pieces!($self $out $($rest)*);
    };
    ($self:ident $out:ident $field:ident $($rest:tt)*) => {
        $self.$field.bind(&mut $out)?;
        pieces!($self $out $($rest)*);
    };
}

/// A condition of fixed SQL. Indexes of some rows only are used where their condition is written out.
macro_rules! condition {
    ($(#[$doc:meta])* $name:ident = $sql:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, diesel::query_builder::QueryId)]
        pub(super) struct $name;

        impl diesel::Expression for $name {
            type SqlType = diesel::sql_types::Bool;
        }

        impl<QS> diesel::SelectableExpression<QS> for $name {}
        impl<QS> diesel::AppearsOnTable<QS> for $name {}

        impl<GB> diesel::expression::ValidGrouping<GB> for $name {
            type IsAggregate = diesel::expression::is_aggregate::Never;
        }

        impl<DB: diesel::backend::Backend> diesel::query_builder::QueryFragment<DB> for $name {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, DB>,
            ) -> diesel::QueryResult<()> {
                out.push_sql($sql);
                Ok(())
            }
        }
    };
}
