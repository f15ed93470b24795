//! Failures that the service must survive, made on purpose: at points of the program where it is held or killed,
//! on the wire to its database, on its disk. Each test says by its number which of the failures of
//! `docs/RELIABILITY.md` it is about.

mod clocks;
mod crash_points;
mod disk;
mod long_reader;
mod lost_commit;
mod one_account;
mod poison;
mod silent_database;
mod zombie;
