//! The limits of a server that fit into the memory of its process.

use super::error::SettingsError;
use super::table::Values;
use super::types::Role;
use cutover_http::Memory;

/// Memory of an idle process with its caches, threads and connections to the database.
const OWN: usize = 48 << 20;
/// Memory of a thread that answers requests: an account of up to 64 KiB is checked there.
const HTTP_THREAD: usize = 13 << 20;
/// Least number of bytes of payloads that are imported together.
const LEAST_BATCH: usize = 1 << 20;
/// Bytes of memory of a thread that imports, for each byte of a batch: the batch, and one account of up to its size.
const BATCHED: usize = 20;
/// Bytes of memory for each byte of a payload that is imported, where its items have the usual members.
const IMPORTED: usize = 12;
/// Part of the memory of requests and large imports that is for the latter.
const OF_IMPORTS: usize = 4;
/// The least body limit with which a server starts.
const LEAST_BODY: usize = 256 << 10;

/// The limits of a server that fit into its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryPlan {
    /// The memory limit of the process, if it has one.
    pub(crate) limit: Option<usize>,
    /// The body limit, if it had to be lowered.
    pub(crate) lower_body_limit: Option<usize>,
    /// The number of connections, if it had to be lowered.
    pub(crate) lower_connections: Option<usize>,
    /// The memory for what requests hold at a time.
    pub(crate) requests: Memory,
    /// Bytes of payloads that are imported together.
    pub(crate) import_batch: usize,
}

impl MemoryPlan {
    pub(super) fn new(values: &Values) -> Self {
        let (body_limit, connections) = (values.body_limit, values.max_connections);
        let usual_batch = cutover_app::Settings::default().import_batch;
        let Some(limit) = values.memory_limit else {
            return Self {
                limit: None,
                lower_body_limit: None,
                lower_connections: None,
                requests: Memory::unlimited(body_limit, connections),
                import_batch: usual_batch,
            };
        };
        let serves = values.role != Role::Worker;
        let imports = if values.role == Role::Api { 0 } else { values.workers };
        // A host of many cores must not keep a small container from starting.
        let import_threads = limit / 8;
        let import_batch = (import_threads / (BATCHED * imports.max(1))).clamp(LEAST_BATCH, usual_batch);
        let own = OWN
            + (HTTP_THREAD * values.http_workers).min(limit / 4)
            + (BATCHED * import_batch * imports).min(import_threads);
        let left = limit.saturating_sub(own);
        // One large account is imported at a time.
        let large_import =
            if imports == 0 { 0 } else { left.min(body_limit * IMPORTED * OF_IMPORTS) / OF_IMPORTS };
        let requests = Memory::within(left - large_import, body_limit, connections);
        let largest_import = if imports == 0 { body_limit } else { large_import / IMPORTED };
        let largest_body = requests.largest_body().min(largest_import);
        Self {
            limit: Some(limit),
            lower_body_limit: Some(largest_body).filter(|largest| serves && *largest < body_limit),
            lower_connections: Some(requests.connections()).filter(|count| serves && *count < connections),
            requests,
            import_batch,
        }
    }

    /// Checks that a server can start within this memory. A body limit that was given is not lowered, because payloads
    /// depend on it.
    pub(super) fn check(&self, is_body_limit_given: bool) -> Result<(), SettingsError> {
        let (Some(limit), Some(body_limit)) = (self.limit, self.lower_body_limit) else { return Ok(()) };
        let (limit, largest) = (shown(limit), shown(body_limit));
        let (name, problem) = if body_limit < LEAST_BODY {
            (
                "memory-limit",
                format!("is {limit}, and a server of this role and number of threads needs more"),
            )
        } else if is_body_limit_given {
            let problem =
                format!("does not fit into {limit} of memory: set {largest} or less, or allow more memory");
            ("body-limit", problem)
        } else {
            return Ok(());
        };
        Err(SettingsError::Value { name, origin: None, problem })
    }

    /// The settings that were lowered, as a list for people; `None` if there are none.
    pub(crate) fn lowered(&self) -> Option<String> {
        let body_limit = self.lower_body_limit.map(|bytes| format!("body-limit is {}", shown(bytes)));
        let connections = self.lower_connections.map(|count| format!("max-connections is {count}"));
        let lowered: Vec<String> = body_limit.into_iter().chain(connections).collect();
        (!lowered.is_empty()).then(|| lowered.join(", "))
    }
}

/// A number of bytes as settings take it, rounded down.
pub(crate) fn shown(bytes: usize) -> String {
    let is_round = bytes >= 16 << 20 || bytes.is_multiple_of(1 << 20);
    if is_round { format!("{}MiB", bytes >> 20) } else { format!("{}KiB", bytes >> 10) }
}
