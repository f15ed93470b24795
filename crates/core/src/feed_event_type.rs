crate::string_enum! {
    "an event type";
    /// The type of an event in the feed of an organisation (contract D19).
    pub enum FeedEventType {
        /// An attempt to import an account begins: a create, a resubmission or a retry.
        ProcessCreated = "account_import_process.created",
        /// A create with other content replaced the payload before a worker claimed it.
        ProcessReplaced = "account_import_process.replaced",
        /// The account is imported.
        ProcessProcessed = "account_import_process.processed",
        /// The import ended without an account; the data is its error.
        ProcessErrored = "account_import_process.errored",
        /// The operator cancelled the import.
        ProcessCancelled = "account_import_process.cancelled",
        /// A dry run passed.
        ProcessDryRunSucceeded = "account_import_process.dry_run_succeeded",
        /// A dry run ended with an error, which is the data.
        ProcessDryRunErrored = "account_import_process.dry_run_errored",
        /// The import of an account was undone: the account does not exist any more, and can be sent again.
        ProcessUndone = "account_import_process.undone",
        /// Notes were added to an imported account; the data says how many.
        NotesAdded = "account.notes_added",
        /// Transactions were added to an imported account; the data says how many.
        TransactionsAdded = "account.transactions_added",
        /// Historical statements were added to an imported account; the data says how many.
        HistoricalStatementsAdded = "account.historical_statements_added",
        /// A payment instruction was added to an imported account; the data says how many.
        PaymentInstructionAdded = "account.payment_instruction_added",
        /// Another system has billed the account, so its import cannot be undone any more.
        AccountBilled = "account.billed",
        /// Everything kept of the account was removed.
        AccountErased = "account.erased",
        /// A business was created; the data has its identifiers.
        BusinessCreated = "business.created",
        /// A business was replaced by other content; the data has its identifiers.
        BusinessChanged = "business.changed",
        /// The migration of the supplier was paused.
        SupplierPaused = "import_supplier.paused",
        /// The migration of the supplier was resumed.
        SupplierResumed = "import_supplier.resumed",
        /// The migration of the supplier was completed.
        SupplierCompleted = "import_supplier.completed",
        /// The imports of the supplier were held; the data says why.
        SupplierHeld = "import_supplier.held",
        /// The hold of the supplier was released; the data is the hold that ended.
        SupplierReleased = "import_supplier.released",
    }
}
