//! `cutover-client schema`: the JSON Schema of a request body, and the smallest one.

use crate::error::Error;
use crate::exit::Exit;
use crate::output::print;
use clap::Args;
use clap::builder::PossibleValuesParser;
use cutover_model::describe::{REQUESTS, minimal, request_schema};

/// Options of `schema`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The request that has this body
    #[arg(default_value = "account", value_parser = PossibleValuesParser::new(REQUESTS.iter().map(|it| it.name)))]
    request: String,
    /// Print the smallest body that is accepted instead: put your own values into it, and add what you have
    #[arg(long)]
    minimal: bool,
}

/// Prints the JSON Schema of a request, or its smallest body.
///
/// # Errors
/// [`Error`] if standard output fails.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let request = REQUESTS.iter().find(|request| request.name == options.request);
    let shown =
        request.map(|request| if options.minimal { minimal(request) } else { request_schema(request) });
    print(&shown.map(|shown| shown.pretty()).unwrap_or_default())?;
    Ok(Exit::Success)
}
