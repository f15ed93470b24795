objects! {
    /// A search of operators for accounts (contract D12).
    AccountSearchRequest "account search" {
        /// What is known: any part of an account number (from four characters, or its beginning), a name, an e-mail address, a
        /// telephone number, a postcode with the street, a meter point, the serial number of a meter, or a business.
        text: required text(128) personal;
        /// The code of the only supplier to search in.
        supplier: nullable text(64) shown;
    }
}
