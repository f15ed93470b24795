//! The vendors against a vendor of our own that follows a script.

mod breaking;
mod faults;
mod server;
mod shapes;
mod table;
mod tls;
mod world;

pub(crate) use world::vendor;
