//! `Debug` for values that must not be printed.

/// Implements `Debug` that prints the name of the type and none of its content.
macro_rules! masked {
    ($($name:ident)*) => {
        $(
            impl std::fmt::Debug for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(concat!(stringify!($name), "(…)"))
                }
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    use crate::additions::TransactionsRefused;
    use crate::port::{InstructionKey, Staged};
    use cutover_model::choices::PaymentInstructionType;

    #[test]
    fn debug_prints_no_content() {
        let staged = Staged { payload: b"Ada".to_vec(), fingerprint: [7; 32], ..Staged::default() };
        assert_eq!(format!("{staged:?}"), "Staged(…)");
        let (vendor, reference) = ("V".to_owned(), "Ada".to_owned());
        let key = InstructionKey { vendor, kind: PaymentInstructionType::DirectDebit, reference };
        assert_eq!(format!("{key:?}"), "InstructionKey(…)");
        let (transaction_data, error_detail) = ("Ada".to_owned(), "D".to_owned());
        let refused = TransactionsRefused::Transaction { transaction_data, error_detail, errors: Vec::new() };
        assert_eq!(format!("{refused:?}"), "Transaction { errors: [], .. }");
    }
}
