objects! {
    /// What a supplier declares that its files come to (contract D17). The totals are those of progress: of all accounts
    /// that it is going to send, without what it adds after the import.
    ManifestRequest "manifest" {
        /// Number of accounts.
        accounts: required integer(0, 1000000000000);
        /// Sum of the balances of their ledgers, exact, in the main currency unit; above 0 = in credit. A ledger without
        /// a balance counts as 0.
        ledger_balance: required decimal(18, 10);
        /// Number of readings of their meters, at the transfer and before.
        readings: required integer(0, 1000000000000);
        /// Number of transactions of their ledgers, of the open statement and of earlier ones.
        transactions: required integer(0, 1000000000000);
        /// Number of documents of notes and statements; equal notes of an account count once.
        documents: required integer(0, 1000000000000);
        /// Numbers of rows, by the tables of accounts; tables that are left out are not compared.
        counts: optional object(ManifestCounts);
    }

    /// A part of the account numbers that a supplier declares with its manifest (contract D17). The last part puts the list in
    /// force.
    ManifestNumbersRequest "account numbers of a manifest" {
        /// Number of the part, from 1. Part 1 begins a new list.
        part: required integer(1, 1000);
        /// True for the last part.
        is_last: required boolean;
        /// Account numbers in the supplier's system.
        account_numbers: required list(text(128)) shown;
    }
}
