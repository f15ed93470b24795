//! Rules about paths of documents.

mod path;
mod stored;

pub(crate) use path::DOC_01;
pub(crate) use stored::{DOC_02, DOC_03};
