use super::config::Config;
use super::connect::connect;
use super::error::{ClientError, ServerError};
use super::row::{Columns, Row};
use super::session::Session;
use diesel::QueryResult;
use diesel::connection::{
    AnsiTransactionManager, CacheSize, ConnectionSealed, DefaultLoadingMode, DynInstrumentation,
    Instrumentation, LoadConnection, SimpleConnection, TransactionManager, TransactionManagerStatus,
};
use diesel::expression::QueryMetadata;
use diesel::migration::{CREATE_MIGRATIONS_TABLE, MigrationConnection};
use diesel::pg::{GetPgMetadataCache, Pg, PgMetadataCache, PgQueryBuilder, PgTypeMetadata};
use diesel::query_builder::bind_collector::RawBytesBindCollector;
use diesel::query_builder::{Query, QueryBuilder, QueryFragment, QueryId};
use diesel::result::{ConnectionError, ConnectionResult, Error as DieselError};
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend::{self, BindError};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// A connection to a PostgreSQL server.
///
/// A statement and its values are sent at once, with the request to prepare the statement if it is new. After
/// an I/O error the connection is unusable, and every later call fails.
pub struct Connection {
    session: Session,
    statements: HashMap<StatementKey, Statement>,
    /// Number of statements named so far.
    named: u64,
    prepares: bool,
    transactions: AnsiTransactionManager,
    types: PgMetadataCache,
    instrumentation: DynInstrumentation,
}

#[derive(PartialEq, Eq, Hash)]
enum StatementKey {
    Known(TypeId),
    Text(String, Vec<PgTypeMetadata>),
}

/// A statement that the server has prepared.
#[derive(Clone)]
struct Statement {
    name: String,
    columns: Arc<Columns>,
}

/// The answer to a statement.
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    /// Number of rows returned or changed.
    count: usize,
}

impl Connection {
    /// Opens a connection.
    ///
    /// # Errors
    /// If none of the servers takes it, with the reason of each.
    pub fn open(config: &Config) -> Result<Self, ClientError> {
        Ok(Self::over(connect(config)?, config.prepares))
    }

    pub(super) fn over(session: Session, prepares: bool) -> Self {
        Self {
            session,
            statements: HashMap::new(),
            named: 0,
            prepares,
            transactions: AnsiTransactionManager::default(),
            types: PgMetadataCache::new(),
            instrumentation: DynInstrumentation::none(),
        }
    }

    /// Sets the time without an answer after which the connection counts as lost; `None` for statements that
    /// may take any time.
    ///
    /// # Errors
    /// If the socket refuses it.
    pub fn set_answer_timeout(&mut self, timeout: Option<Duration>) -> QueryResult<()> {
        Ok(self.session.set_answer_timeout(timeout).map_err(ClientError::from)?)
    }

    /// Takes the server processes that have sent notifications, without waiting for any.
    ///
    /// # Errors
    /// If the connection is lost.
    pub fn notifiers(&mut self) -> QueryResult<Vec<i32>> {
        Ok(self.session.notifiers()?)
    }

    fn run<T>(&mut self, source: &T) -> QueryResult<Answer>
    where
        T: QueryFragment<Pg> + QueryId,
    {
        let mut collector = RawBytesBindCollector::<Pg>::new();
        source.collect_binds(&mut collector, self, &Pg)?;
        let is_kept = self.prepares && source.is_safe_to_cache_prepared(&Pg)?;
        let key = is_kept.then(|| key::<T>(source, &collector.metadata)).transpose()?;
        let prepared = key.as_ref().and_then(|key| self.statements.get(key)).cloned();
        let name = match &prepared {
            Some(statement) => statement.name.clone(),
            None => self.prepare(source, &collector.metadata, is_kept)?,
        };
        bind(&name, &collector.binds, self)?;
        let output = &mut self.session.output;
        frontend::execute("", 0, output).map_err(ClientError::from)?;
        frontend::sync(output);
        let (answer, described) = self.exchange(prepared.map(|statement| statement.columns));
        if let (Some(key), Some(columns)) = (key, described) {
            self.statements.insert(key, Statement { name, columns });
        }
        answer
    }

    /// Asks the server to parse and describe a statement. Returns its name.
    fn prepare<T>(&mut self, source: &T, types: &[PgTypeMetadata], is_kept: bool) -> QueryResult<String>
    where
        T: QueryFragment<Pg>,
    {
        let name = if is_kept {
            self.named += 1;
            format!("s{}", self.named)
        } else {
            String::new()
        };
        let oids: Vec<u32> = types
            .iter()
            .map(|found| found.oid().map_err(|error| DieselError::SerializationError(error.into())))
            .collect::<Result<_, _>>()?;
        let output = &mut self.session.output;
        frontend::parse(&name, &text(source)?, oids, output).map_err(ClientError::from)?;
        frontend::describe(b'S', &name, output).map_err(ClientError::from)?;
        Ok(name)
    }

    /// Sends what is in the output and reads the answer. Also returns the columns if the statement was
    /// described.
    fn exchange(&mut self, known: Option<Arc<Columns>>) -> (QueryResult<Answer>, Option<Arc<Columns>>) {
        let mut described = None;
        let answer = self.read_answer(known, &mut described);
        let state = self.session.transaction();
        let status = AnsiTransactionManager::transaction_manager_status_mut(self);
        // Keeps diesel's view of the transaction equal to the server's.
        match state {
            Some(b'I') => *status = TransactionManagerStatus::Valid(Default::default()),
            Some(b'E') => status.set_requires_rollback_maybe_up_to_top_level(true),
            Some(_) => status.set_requires_rollback_maybe_up_to_top_level(false),
            None => status.set_in_error(),
        }
        (answer.map_err(DieselError::from), described)
    }

    fn read_answer(
        &mut self,
        known: Option<Arc<Columns>>,
        described: &mut Option<Arc<Columns>>,
    ) -> Result<Answer, ClientError> {
        self.session.send()?;
        let mut columns = known;
        let mut answer = Answer { rows: Vec::new(), count: 0 };
        // The first error is the cause of others.
        let mut refusal: Option<ServerError> = None;
        loop {
            let message = match self.session.receive() {
                Ok(message) => message,
                // A server that ends a connection says why.
                Err(error) => return Err(refusal.map_or(error, ClientError::from)),
            };
            match message {
                Message::RowDescription(body) => {
                    let new = Columns::new(&body).map_err(|_| self.session.unexpected())?;
                    columns = Some(described.insert(Arc::new(new)).clone());
                }
                Message::NoData => columns = Some(described.insert(Arc::new(Columns::none())).clone()),
                Message::DataRow(body) => {
                    let row = columns.clone().and_then(|columns| Row::new(columns, body).ok());
                    answer.rows.push(row.ok_or_else(|| self.session.unexpected())?);
                }
                Message::CommandComplete(body) => {
                    let tag = body.tag().map_err(|_| self.session.unexpected())?;
                    answer.count = tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
                }
                Message::ErrorResponse(body) => {
                    let error = ServerError::new(&body).map_err(|_| self.session.unexpected())?;
                    refusal.get_or_insert(error);
                }
                Message::ReadyForQuery(_) => {
                    return refusal.map_or(Ok(answer), |error| Err(error.into()));
                }
                Message::ParseComplete
                | Message::BindComplete
                | Message::ParameterDescription(_)
                | Message::EmptyQueryResponse => {}
                _ => return Err(self.session.unexpected()),
            }
        }
    }
}

fn key<T>(source: &T, types: &[PgTypeMetadata]) -> QueryResult<StatementKey>
where
    T: QueryFragment<Pg> + QueryId,
{
    match T::query_id() {
        Some(id) => Ok(StatementKey::Known(id)),
        None => Ok(StatementKey::Text(text(source)?, types.to_vec())),
    }
}

fn text(source: &impl QueryFragment<Pg>) -> QueryResult<String> {
    let mut builder = PgQueryBuilder::default();
    source.to_sql(&mut builder, &Pg)?;
    Ok(builder.finish())
}

/// Binds values to a statement; values and results are binary.
fn bind(name: &str, values: &[Option<Vec<u8>>], connection: &mut Connection) -> QueryResult<()> {
    const BINARY: [i16; 1] = [1];
    let write = |value: &Option<Vec<u8>>, out: &mut bytes::BytesMut| {
        Ok(match value {
            Some(bytes) => {
                out.extend_from_slice(bytes);
                IsNull::No
            }
            None => IsNull::Yes,
        })
    };
    let bound = frontend::bind("", name, BINARY, values, write, BINARY, &mut connection.session.output);
    bound.map_err(|error| {
        DieselError::SerializationError(match error {
            BindError::Conversion(error) => error,
            BindError::Serialization(error) => error.into(),
        })
    })
}

impl ConnectionSealed for Connection {}

impl Connection {
    /// Runs statements without values. The rows of all of them are in the answer.
    pub(super) fn run_text(&mut self, query: &str) -> QueryResult<Answer> {
        frontend::query(query, &mut self.session.output).map_err(ClientError::from)?;
        self.exchange(None).0
    }
}

impl SimpleConnection for Connection {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.run_text(query).map(drop)
    }
}

impl diesel::Connection for Connection {
    type Backend = Pg;
    type TransactionManager = AnsiTransactionManager;

    fn establish(url: &str) -> ConnectionResult<Self> {
        let refused = |error: String| ConnectionError::BadConnection(error);
        let config = Config::parse(url).map_err(|error| refused(error.to_string()))?;
        Self::open(&config).map_err(|error| refused(error.to_string()))
    }

    fn execute_returning_count<T>(&mut self, source: &T) -> QueryResult<usize>
    where
        T: QueryFragment<Pg> + QueryId,
    {
        Ok(self.run(source)?.count)
    }

    fn transaction_state(&mut self) -> &mut AnsiTransactionManager {
        &mut self.transactions
    }

    fn instrumentation(&mut self) -> &mut dyn Instrumentation {
        &mut *self.instrumentation
    }

    fn set_instrumentation(&mut self, instrumentation: impl Instrumentation) {
        self.instrumentation = instrumentation.into();
    }

    fn set_prepared_statement_cache_size(&mut self, size: CacheSize) {
        self.prepares = !matches!(size, CacheSize::Disabled);
    }
}

impl LoadConnection<DefaultLoadingMode> for Connection {
    type Cursor<'conn, 'query> = std::iter::Map<std::vec::IntoIter<Row>, fn(Row) -> QueryResult<Row>>;
    type Row<'conn, 'query> = Row;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> QueryResult<Self::Cursor<'conn, 'query>>
    where
        T: Query + QueryFragment<Pg> + QueryId + 'query,
        Pg: QueryMetadata<T::SqlType>,
    {
        Ok(self.run(&source)?.rows.into_iter().map(Ok))
    }
}

impl GetPgMetadataCache for Connection {
    fn get_metadata_cache(&mut self) -> &mut PgMetadataCache {
        &mut self.types
    }
}

impl MigrationConnection for Connection {
    fn setup(&mut self) -> QueryResult<usize> {
        self.batch_execute(CREATE_MIGRATIONS_TABLE)?;
        Ok(0)
    }
}
