//! Connections to a server that is a list of packets, for the fuzz targets.

use super::config::Config;
use super::connect::start;
use super::connection::Connection;
use super::error::{ClientError, sqlstate};
use super::memory::Memory;
use super::session::Session;
use super::stream::Stream;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel::row::{Field, Row};

/// The answer to a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Rows of values.
    Rows(Vec<Vec<Option<Vec<u8>>>>),
    /// The code of the server's error.
    Refused(String),
    /// The connection is lost.
    Lost,
}

/// Returns the answers to statements on a connection to a server that sends these packets, none of them empty.
pub fn answers(packets: Vec<Vec<u8>>, statements: usize) -> Vec<Answer> {
    let session = Session::new(Stream::Memory(Memory::new(packets)));
    let mut connection = Connection::over(session, true);
    (0..statements).map(|_| answer(&mut connection)).collect()
}

/// Takes notifications so many times on such a connection. Returns the server processes that sent them, until the
/// connection is lost.
pub fn notifiers(packets: Vec<Vec<u8>>, times: usize) -> Vec<i32> {
    let session = Session::new(Stream::Memory(Memory::new(packets)));
    let mut connection = Connection::over(session, true);
    (0..times).map_while(|_| connection.notifiers().ok()).flatten().collect()
}

fn answer(connection: &mut Connection) -> Answer {
    match connection.run_text("SELECT 1") {
        Ok(answer) => Answer::Rows(answer.rows.iter().map(cells).collect()),
        Err(DieselError::DatabaseError(DatabaseErrorKind::ClosedConnection, _)) => Answer::Lost,
        Err(error) => Answer::Refused(sqlstate(&error.to_string()).unwrap_or_default().to_owned()),
    }
}

fn cells(row: &super::row::Row) -> Vec<Option<Vec<u8>>> {
    let cell = |at| row.get(at)?.value().map(|value| value.as_bytes().to_vec());
    (0..row.field_count()).map(cell).collect()
}

/// Logs in at a server that sends these packets, none of them empty, without TLS. Also returns what the server
/// receives.
pub fn log_in(config: &Config, packets: Vec<Vec<u8>>) -> (Result<(), ClientError>, Vec<u8>) {
    let mut session = Session::new(Stream::Memory(Memory::new(packets)));
    let result = start(&mut session, config, &config.hosts[0], None);
    let received = match session.stream() {
        Stream::Memory(memory) => memory.received.clone(),
        _ => Vec::new(),
    };
    (result, received)
}
