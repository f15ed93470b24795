//! Macros for fixed SQL and for rows. They name what the database at hand has, which is to be in scope:
//! `dialect::Db` and `queries::statement::Bind`; and `insert_all!` of its dialect.

/// A row that goes into its table with others: the struct as it stands, and `insert_all`, which the dialect
/// writes. A field is the column of its name; attributes that say otherwise are not taken.
macro_rules! row {
    (
        $(#[doc = $doc:literal])*
        #[derive($($derive:ident),*)]
        #[diesel(table_name = $table:ident, treat_none_as_default_value = false)]
        $vis:vis struct $name:ident<$life:lifetime> { $($field_vis:vis $field:ident: $type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        #[derive($($derive),*)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        $vis struct $name<$life> { $($field_vis $field: $type,)* }

        insert_all!($table, $name<$life> { $($field: $type,)* });
    };
}

/// A statement of fixed SQL, prepared once for each connection. Texts are SQL, names are fields,
/// constants in parentheses are SQL of the database, and pieces in braces are
/// for a database of which a constant is true.
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
    ($self:ident $out:ident {$when:path => $($some:tt)*} $($rest:tt)*) => {
        if $when {
            pieces!($self $out $($some)*);
        }
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
