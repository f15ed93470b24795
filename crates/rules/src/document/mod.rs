//! Rules about paths of documents.

mod path;

pub(crate) use path::DOC_01;
