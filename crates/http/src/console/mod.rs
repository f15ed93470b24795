//! The operator's console: pages made here, for people of one organisation (see docs/decisions/0016). Whatever they
//! show or do goes through the use cases of `cutover-app`.
//!
//! Every page works without scripts. The script keeps a page up to date and draws charts; nothing is asked of
//! another host.

mod account;
mod actions;
mod assets;
mod escape;
mod links;
mod migration;
mod page;
mod search;
mod sign_in;
mod supplier;
mod suppliers;
#[cfg(test)]
mod tests;
mod view;
mod visit;

pub(crate) use account::{back as hide, reveal, show as account};
pub(crate) use actions::{ask_cancel, ask_pause, ask_resume, ask_retry, cancel, pause, resume, retry};
pub(crate) use assets::handle as asset;
pub(crate) use escape::Escaped;
pub(crate) use links::has;
pub(crate) use page::not_served;
pub(crate) use search::show as search;
pub(crate) use sign_in::{begin as sign_in, end as sign_out, show as ask_for_key};
pub(crate) use supplier::show as supplier;
pub(crate) use suppliers::show as suppliers;
