//! Additions to imported accounts, and businesses (contract 4.2, 4.4, D8, D9).

mod business;
mod instruction;
mod notes;
mod request;
mod statements;
mod transactions;

pub(crate) use business::business_json;
pub use business::{ListedBusiness, ReplaceRefused};
pub use instruction::{InstructionStep, InstructionStored, PendingInstruction, VendorRefused};
pub use request::AddRefused;
pub use transactions::{AddTransactions, TransactionsRefused};
