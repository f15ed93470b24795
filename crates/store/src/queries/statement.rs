//! Values that the statements of `crate::sql` bind.

use super::dialect::Db;
use super::types::{Bits, Day, Json, Timestamp};
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};

/// A value that a [`statement!`] binds.
pub(crate) trait Bind {
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
    Vec<u8> => Binary;
    &'static str => Text;
    Bits => Binary;
    Json<'static> => crate::schema::columns::Json;
    Day => crate::schema::columns::Day;
    Timestamp => crate::schema::columns::Instant;
}
