//! Macros for rows and for fixed SQL. They name items of the dialect in scope (`dialect::Db`,
//! `queries::statement::Bind`) and its macros `insert_all!` and `column_arrays!`.

/// Declares a row: the struct and its `insert_all`, which inserts many rows. Each field is the column of its
/// name; a field cannot have attributes.
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

/// Declares a group of columns that statements write together. The struct is embedded in rows; as a value of
/// a [`statement!`] it is the list of its assignments, `a = $1, b = $2`. The dialect may add forms for many
/// rows.
macro_rules! columns {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident<$life:lifetime> in $table:ident { $($field:ident: $type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Insertable, Queryable, Selectable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        $vis struct $name<$life> { $($vis $field: $type,)* }

        impl Bind for $name<'_> {
            fn bind<'b>(&'b self, out: &mut diesel::query_builder::AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                let mut separator = "";
                $(
                    out.push_sql(std::mem::replace(&mut separator, ", "));
                    out.push_sql(concat!(stringify!($field), " = "));
                    out.push_bind_param::<diesel::dsl::SqlTypeOf<$table::$field>, _>(&self.$field)?;
                )*
                Ok(())
            }
        }

        column_arrays!($table, $name<$life> { $($field: $type,)* });
    };
}

/// Declares a statement of fixed SQL, prepared once for each connection. In its body, a literal is SQL, a
/// name binds the field of that name, a path in parentheses is a constant with SQL, and the pieces in braces
/// are left out unless the constant before the arrow is true.
macro_rules! statement {
    (
        $(#[$doc:meta])*
        $name:ident $(<$($life:lifetime),+>)? { $($field:ident: $type:ty),* $(,)? } $(-> $row:ty)? = $($piece:tt)*
    ) => {
        $(#[$doc])*
        pub(crate) struct $name<$($($life),+)?> {
            $(pub(crate) $field: $type,)*
        }

        impl<$($($life),+)?> diesel::query_builder::QueryFragment<Db> for $name<$($($life),+)?> {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, Db>,
            ) -> diesel::QueryResult<()> {
                pieces!(self out $($piece)*);
                Ok(())
            }
        }

        const _: () = {
            pub(crate) struct Id;

            impl<$($($life),+)?> diesel::query_builder::QueryId for $name<$($($life),+)?> {
                type QueryId = Id;
                const HAS_STATIC_QUERY_ID: bool = true;
            }
        };

        query!($name [$($($life)+)?] $($row)?);

        impl<$($($life,)+)? C> diesel::RunQueryDsl<C> for $name<$($($life),+)?> {}
    };
}

/// Gives a statement the type of its rows, if it returns any.
macro_rules! query {
    ($name:ident [$($life:lifetime)*]) => {};
    ($name:ident [$($life:lifetime)*] $row:ty) => {
        impl<$($life),*> diesel::query_builder::Query for $name<$($life),*> {
            type SqlType = $row;
        }
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

/// Declares a condition of fixed SQL. A partial index is used only if its condition is in the text of the
/// query, not among its values.
macro_rules! condition {
    ($(#[$doc:meta])* $name:ident = $sql:expr) => {
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
