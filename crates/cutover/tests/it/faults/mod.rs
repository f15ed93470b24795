//! Deliberate failures that the service must survive: at points of the program where it is held or killed, on
//! the connection to its database, on its disk. Each test names the failure of `docs/RELIABILITY.md` by its
//! number.

mod clocks;
mod crash_points;
mod disk;
mod long_reader;
mod lost_commit;
mod one_account;
mod poison;
mod silent_database;
mod zombie;
