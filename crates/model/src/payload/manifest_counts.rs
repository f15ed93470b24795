use crate::{Integer, RowCounts};

/// Declares the object with a number for each table.
macro_rules! manifest_counts {
    ($($table:ident)*) => {
        objects! {
            /// Numbers of rows that a supplier declares, by the tables of accounts (contract D17). Equal notes of an account
            /// are one row.
            ManifestCounts "counts of a manifest" {
                $(
                    /// Number of rows of the table.
                    $table: optional integer(0, 1000000000000);
                )*
            }
        }

        impl ManifestCounts<'_> {
            /// Returns the declared numbers.
            pub fn rows(&self) -> RowCounts {
                // The declaration has no numbers below 0.
                let number = |number: &Integer<'_>| u64::try_from(number.value()).unwrap_or_default();
                RowCounts::in_order([$(self.$table.as_ref().map(number)),*])
            }
        }
    };
}

each_table!(manifest_counts);
