//! The table of permitted dependencies.

/// A crate of the workspace and its permitted dependencies.
#[derive(Clone, Copy)]
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    /// Crates of the workspace that it may depend on.
    pub(crate) may: &'static [&'static str],
    /// Outside crates that it must not depend on directly, except in tests.
    pub(crate) never: &'static [&'static Family],
}

/// Outside crates of a kind.
pub(crate) struct Family {
    /// Name of the kind in messages.
    pub(crate) what: &'static str,
    pub(crate) crates: &'static [&'static str],
}

/// Crates for tests only: dev-dependencies, except for programs that run tests.
pub(crate) const TESTS_ONLY: &[&str] = &[TESTKIT, TESTKIT_MACHINE, TESTKIT_POSTGRES, TESTKIT_S3];

const TESTKIT: &str = "cutover-testkit";
const TESTKIT_MACHINE: &str = "cutover-testkit-machine";
const TESTKIT_POSTGRES: &str = "cutover-testkit-postgres";
const TESTKIT_S3: &str = "cutover-testkit-s3";

const CORE: &str = "cutover-core";
const MODEL: &str = "cutover-model";
const RULES: &str = "cutover-rules";
const PROCESS: &str = "cutover-process";
const APP: &str = "cutover-app";
const POSTGRES_CLIENT: &str = "cutover-postgres-client";
const STORE: &str = "cutover-store";
const OUTBOUND: &str = "cutover-outbound";
const HTTP: &str = "cutover-http";
const TABLES: &str = "cutover-tables";
const CLIENT: &str = "cutover-client";

/// The crates from the bottom up.
pub(crate) const LAYERS: &[Layer] = &[
    Layer { name: CORE, may: &[], never: PURE },
    Layer { name: MODEL, may: &[CORE], never: PURE },
    Layer { name: RULES, may: &[CORE, MODEL], never: PURE },
    Layer { name: PROCESS, may: &[CORE], never: PURE },
    Layer { name: TABLES, may: &[CORE, MODEL], never: PURE },
    Layer {
        name: APP,
        may: &[CORE, MODEL, RULES, PROCESS],
        never: &[RUNTIME, HTTP_TYPES, WEB, HTTP_CLIENT, DATABASE, OBJECT_STORAGE, FILES, RANDOM],
    },
    Layer {
        name: POSTGRES_CLIENT,
        may: &[],
        never: &[ASYNC, RUNTIME, HTTP_TYPES, WEB, HTTP_CLIENT, OBJECT_STORAGE, RANDOM],
    },
    Layer {
        name: STORE,
        may: &[CORE, MODEL, PROCESS, APP, POSTGRES_CLIENT],
        never: &[WEB, HTTP_CLIENT, OBJECT_STORAGE, RANDOM],
    },
    Layer { name: OUTBOUND, may: &[CORE, APP], never: &[WEB, DATABASE, RANDOM] },
    Layer {
        name: HTTP,
        may: &[CORE, MODEL, PROCESS, APP],
        never: &[HTTP_CLIENT, DATABASE, OBJECT_STORAGE, RANDOM],
    },
    Layer {
        name: "cutover",
        may: &[CORE, MODEL, RULES, PROCESS, TABLES, APP, STORE, OUTBOUND, HTTP],
        never: &[DATABASE, OBJECT_STORAGE],
    },
    Layer {
        name: CLIENT,
        may: &[CORE, MODEL, RULES, TABLES],
        never: &[WEB, DATABASE, OBJECT_STORAGE, RANDOM],
    },
    Layer {
        name: "cutover-python",
        may: &[CLIENT],
        never: &[ASYNC, RUNTIME, HTTP_TYPES, WEB, HTTP_CLIENT, DATABASE, OBJECT_STORAGE, RANDOM],
    },
    Layer {
        name: "cutover-simulation",
        may: &[CORE, MODEL, PROCESS, APP, STORE],
        never: &[WEB, HTTP_CLIENT, DATABASE, OBJECT_STORAGE],
    },
    Layer { name: TESTKIT_MACHINE, may: &[], never: PURE },
    Layer {
        name: TESTKIT,
        may: &[CORE, MODEL, PROCESS, APP, TESTKIT_MACHINE],
        never: &[WEB, HTTP_CLIENT, DATABASE],
    },
    Layer {
        name: "cutover-fuzz",
        may: &[CORE, MODEL, RULES, TABLES, APP, POSTGRES_CLIENT, OUTBOUND, HTTP, CLIENT, TESTKIT],
        never: &[DATABASE],
    },
    Layer { name: TESTKIT_POSTGRES, may: &[TESTKIT_MACHINE], never: &[WEB, HTTP_CLIENT, DATABASE] },
    Layer { name: TESTKIT_S3, may: &[TESTKIT_MACHINE], never: &[DATABASE] },
    Layer {
        name: "cutover-bench",
        may: &[CORE, MODEL, RULES, PROCESS, TESTKIT_POSTGRES],
        never: &[WEB, HTTP_CLIENT, DATABASE, OBJECT_STORAGE],
    },
    Layer { name: "cutover-launch", may: &[], never: &[] },
    Layer { name: "xtask", may: &[CORE, MODEL, RULES, PROCESS, TESTKIT_POSTGRES], never: &[] },
];

/// Crates with import cycles between their modules, and how many modules take part in one. The numbers only fall.
pub(crate) const CYCLES_LEFT: &[(&str, usize)] = &[(APP, 12), (STORE, 47)];

/// Kinds that pure crates must not depend on.
const PURE: &[&Family] =
    &[ASYNC, RUNTIME, HTTP_TYPES, WEB, HTTP_CLIENT, DATABASE, OBJECT_STORAGE, FILES, RANDOM];

const ASYNC: &Family = &Family {
    what: "async",
    crates: &["async-trait", "futures", "futures-core", "futures-executor", "futures-util", "pollster"],
};

const RUNTIME: &Family = &Family {
    what: "an async runtime",
    crates: &["actix-rt", "async-std", "mio", "smol", "tokio", "tokio-stream", "tokio-util"],
};

const HTTP_TYPES: &Family = &Family { what: "HTTP", crates: &["headers", "http", "http-body"] };

const WEB: &Family = &Family {
    what: "an HTTP server",
    crates: &[
        "actix-http",
        "actix-service",
        "actix-web",
        "async-graphql",
        "async-graphql-actix-web",
        "axum",
        "tower",
        "tower-http",
        "warp",
    ],
};

const HTTP_CLIENT: &Family = &Family {
    what: "an HTTP client",
    crates: &["attohttpc", "awc", "curl", "hyper", "hyper-util", "isahc", "minreq", "reqwest", "ureq"],
};

const DATABASE: &Family = &Family {
    what: "a database",
    crates: &[
        "diesel",
        "diesel-async",
        "diesel_migrations",
        "libsqlite3-sys",
        "postgres",
        "postgres-protocol",
        "pq-sys",
        "r2d2",
        "redis",
        "rusqlite",
        "sqlx",
        "tokio-postgres",
    ],
};

const OBJECT_STORAGE: &Family =
    &Family { what: "object storage", crates: &["aws-sdk-s3", "object_store", "opendal", "rust-s3"] };

const FILES: &Family = &Family {
    what: "the file system",
    crates: &["cap-std", "fs-err", "fs4", "glob", "memmap2", "same-file", "tempfile", "walkdir"],
};

const RANDOM: &Family =
    &Family { what: "a source of randomness", crates: &["fastrand", "getrandom", "rand", "rand_core"] };
