//! Macros for fixed SQL. They name `Db` and `Bind`, which are to be in scope: `dialect::Db` and
//! `queries::statement::Bind` of the database at hand.

/// A statement of fixed SQL, prepared once for each connection. Texts are SQL, names are fields,
/// constants in parentheses are SQL of the database.
macro_rules! statement {
    (
        $(#[$doc:meta])*
        $name:ident { $($field:ident: $type:ty),* $(,)? } $(-> $row:ty)? = $($piece:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Debug, diesel::query_builder::QueryId)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
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
    ($self:ident $out:ident ($sql:path) $($rest:tt)*) => {
        $out.push_sql($sql);
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
