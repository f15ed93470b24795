/// The reason why the server stops.
#[derive(Debug)]
pub(crate) enum StopReason {
    /// A signal, by name.
    Signal(&'static str),
    /// The HTTP server ended by itself.
    HttpServer(std::io::Result<()>),
}
