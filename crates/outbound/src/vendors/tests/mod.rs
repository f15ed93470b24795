//! Tests against a scripted vendor in this process.

mod breaking;
mod environment;
mod faults;
mod server;
mod shapes;
mod table;
mod tls;

pub(crate) use environment::vendor;
