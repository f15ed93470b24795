//! `cutover-client schema`: the JSON Schema of a request body.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::print;
use clap::Args;
use clap::builder::PossibleValuesParser;
use cutover_model::describe::{REQUESTS, request_schema};

/// Options of `schema`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The request that has this body
    #[arg(default_value = "account", value_parser = PossibleValuesParser::new(REQUESTS.iter().map(|it| it.name)))]
    request: String,
}

/// Prints the JSON Schema of a request.
///
/// # Errors
/// [`Error`] if standard output fails.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let request = REQUESTS.iter().find(|request| request.name == options.request);
    let schema = request.map(|request| request_schema(request).pretty());
    print(&schema.unwrap_or_default())?;
    Ok(Exit::Success)
}
