//! Every operation of the API: a row for each method of each route.

use super::operation::Access::{All, Token};
use super::operation::{Body, Content, Done, JSON, Operation, Parameter, answer, array_of, empty, json};
use super::{examples, own, refusals};
use cutover_model::NoteResult;
use cutover_model::describe::{Json, Schemas};

const ACCOUNTS: &str = "Accounts";
const AFTER: &str = "After the import";
const PROGRESS: &str = "Progress";
const BUSINESSES: &str = "Businesses";
const TOKENS: &str = "Tokens";
const SERVICE: &str = "Service";

/// What the operations are grouped by, and what each group is.
pub(super) const TAGS: &[(&str, &str)] = &[
    (ACCOUNTS, "Validating and creating accounts, and where each stands."),
    (AFTER, "What is added to an account once it is imported."),
    (PROGRESS, "How far a supplier's migration has come."),
    (BUSINESSES, "Businesses with contracts: created before their accounts."),
    (TOKENS, "Access tokens."),
    (SERVICE, "Health, metrics and this description."),
];

/// The form of an account in a body.
const ACCOUNT: Body = Body::Request("account", &["account", "account_in_envelope"]);

const fn done(status: u16, means: &'static str, content: Option<Content>) -> Done {
    Done { status, means, headers: &[], content }
}

fn boolean(default: bool) -> Json {
    Json::object().with("type", "boolean").with("default", default)
}

/// Which page of a list (contract D7).
const PAGES: &[Parameter] = &[
    Parameter {
        name: "page_size",
        doc: "Asks for a page of at most so many items; with a cursor alone it is 1,000. Without both, the whole \
              list is streamed.",
        schema: || Json::object().with("type", "integer").with("minimum", 1_u32).with("maximum", 10_000_u32),
    },
    Parameter {
        name: "cursor",
        doc: "Where the page begins: taken from the `Link` of the one before, never made up.",
        schema: || Json::object().with("type", "string"),
    },
];

/// Which accounts of a supplier, and which page of them (contract D12).
const FILTERS: &[Parameter] = &[
    Parameter { name: "status", doc: "Only those with this status.", schema: own::status },
    Parameter { name: "error_code", doc: "Only those whose latest error has this code.", schema: own::code },
    Parameter {
        name: "modified_after",
        doc: "Only those that took a step after this time. Without an offset it is in the supplier's zone. Steps \
              may be committed in another order than their times: who polls asks from the newest `modified_at` \
              that was seen less one minute, and passes over what comes twice. No index knows this: a page reads a \
              bounded number of accounts, and may have none though others follow.",
        schema: || Json::object().with("type", "string").with("format", "date-time"),
    },
    Parameter {
        name: "page_size",
        doc: "How many there are at most. There may be fewer, even none, and more on the next page: go on until an \
              answer has no `Link`.",
        schema: || {
            let size = Json::object().with("type", "integer").with("minimum", 1_u32);
            size.with("maximum", 10_000_u32).with("default", 100_u32)
        },
    },
    Parameter {
        name: "cursor",
        doc: "Where the page begins: taken from the `Link` of the one before, never made up.",
        schema: || Json::object().with("type", "string"),
    },
];

/// The list itself, whole or a page.
const LIST: &[Done] = &[Done {
    status: 200,
    means: "The accounts in the order they were first sent; an empty array if there are none.",
    headers: &["Link"],
    content: json(own::list, &[("usual", own::list_example)]),
}];

fn statuses(schemas: &mut Schemas) -> Json {
    array_of(schemas, &cutover_model::ListedStatus::SPEC)
}

fn notes(schemas: &mut Schemas) -> Json {
    array_of(schemas, &NoteResult::SPEC)
}

fn transactions(schemas: &mut Schemas) -> Json {
    let results = array_of(schemas, &cutover_model::TransactionResult::SPEC);
    Json::object()
        .with("type", "object")
        .with("properties", Json::object().with("results", results))
        .with("required", Json::list(["results"]))
}

fn statements(schemas: &mut Schemas) -> Json {
    schemas.object(&cutover_model::HistoricalStatementsRequest::SPEC)
}

/// What most rows have.
const BASE: Operation = Operation {
    template: "",
    method: "GET",
    id: "",
    tag: SERVICE,
    summary: "",
    notes: "",
    access: Token,
    query: &[],
    body: Body::Nothing,
    answers: &[],
    refusals: Vec::new,
};

/// Every operation, in the order of the description.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        template: "/v2/data-import/accounts/validate/",
        method: "POST",
        id: "validateAccount",
        tag: ACCOUNTS,
        summary: "Checks an account and lists every fault at once",
        notes: "By the same rules as create. Nothing is stored. It does not matter whether the supplier is Ongoing.",
        body: ACCOUNT,
        answers: &[empty(200, "The account is valid.")],
        refusals: refusals::of_validate,
        ..BASE
    },
    Operation {
        template: "/v2/data-import/accounts/",
        method: "POST",
        id: "createAccount",
        tag: ACCOUNTS,
        summary: "Accepts an account for import",
        notes: "Answered once the account is durably stored and scheduled. Sending the same account again is safe: \
                while it is pending nothing changes, and after a failed attempt a new one starts.",
        body: ACCOUNT,
        answers: &[empty(201, "The account is stored and will be imported.")],
        refusals: refusals::of_create,
        ..BASE
    },
    Operation {
        template: "/v2/data-import/accounts/bulk/",
        method: "POST",
        id: "createAccounts",
        tag: ACCOUNTS,
        summary: "Accepts or validates many accounts, a line each",
        notes: "Lines are answered in order while further ones are sent. A line that was answered 201 is durable; \
                after a 503 on a line nothing more is taken: go on with that line later.",
        query: &[Parameter {
            name: "validate_only",
            doc: "Whether the accounts are only checked. `true` or `false` in any case, `1` or `0`.",
            schema: || boolean(false),
        }],
        body: Body::Other("application/x-ndjson", own::bulk_request, || {
            examples::of(examples::REQUESTS[0].2.as_bytes())
        }),
        answers: &[done(
            200,
            "The lines are answered, each with a status of its own.",
            Some(Content {
                media: "application/x-ndjson",
                schema: own::bulk_answer,
                examples: &[("usual", own::bulk_example)],
            }),
        )],
        refusals: refusals::of_bulk,
        ..BASE
    },
    Operation {
        template: "/v2/data-import/accounts/<supplier>/<number>/",
        id: "getAccountStatus",
        tag: ACCOUNTS,
        summary: "Says where the import of an account stands",
        answers: &[done(
            200,
            "The status.",
            json(answer!(ProcessStatus), &[("processed", examples::status), ("errored", examples::errored)]),
        )],
        refusals: refusals::of_path,
        ..BASE
    },
    Operation {
        template: "/v2/data-import/accounts/<supplier>/",
        id: "findAccounts",
        tag: PROGRESS,
        summary: "Finds accounts of a supplier, with their status",
        notes: "Always in pages, in the order the accounts were first sent.",
        query: FILTERS,
        answers: &[Done {
            status: 200,
            means: "The accounts that meet every condition; an empty array if there are none.",
            headers: &["Link"],
            content: json(statuses, &[("usual", examples::statuses)]),
        }],
        refusals: refusals::of_search,
        ..BASE
    },
    Operation {
        template: "/v2/data-import/import-suppliers/<supplier>/progress/",
        id: "getProgress",
        tag: PROGRESS,
        summary: "Says how far a supplier's migration has come",
        notes: "All figures are of one moment. Asking costs the same however many accounts there are.",
        answers: &[done(
            200,
            "The figures.",
            json(answer!(SupplierProgress), &[("usual", examples::progress)]),
        )],
        refusals: refusals::of_path,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/notes/create/",
        method: "POST",
        id: "createNotes",
        tag: AFTER,
        summary: "Adds notes to an imported account",
        notes: "All of them or none. A note that the account has is not added again.",
        body: Body::Request("notes", &["notes"]),
        answers: &[done(
            201,
            "What became of each note, in order.",
            json(notes, &[("usual", examples::notes)]),
        )],
        refusals: refusals::of_notes,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/transactions/create/",
        method: "POST",
        id: "createTransactions",
        tag: AFTER,
        summary: "Adds transactions to an imported account",
        notes: "All of them or none. The balance of the account's first ledger follows.",
        query: &[
            Parameter {
                name: "check_previously_added",
                doc: "Whether a transaction that the account has is passed over. `true` or `false` in any case, `1` \
                      or `0`.",
                schema: || boolean(true),
            },
            Parameter {
                name: "force_add_to_current_statement",
                doc: "Whether a transaction outside the open statement period is moved into it; if not, it is an \
                      error. `true` or `false` in any case, `1` or `0`.",
                schema: || boolean(true),
            },
        ],
        body: Body::Request("transactions", &["transactions"]),
        answers: &[done(
            201,
            "What became of each transaction, in order.",
            json(transactions, &[("usual", examples::transactions)]),
        )],
        refusals: refusals::of_transactions,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/historical-statements/create/",
        method: "POST",
        id: "createHistoricalStatements",
        tag: AFTER,
        summary: "Adds earlier statements to an imported account",
        notes: "All of them or none. A statement that the account has with equal content is not added again.",
        body: Body::Request("historical-statements", &["statements"]),
        answers: &[done(
            201,
            "The request as validated, without what is absent.",
            json(statements, &[("usual", examples::statements)]),
        )],
        refusals: refusals::of_statements,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/payment-instruction/create/",
        method: "POST",
        id: "createPaymentInstruction",
        tag: AFTER,
        summary: "Stores a payment instruction of an imported account",
        notes: "The payment vendor is asked first. After a 400 do not send it again unchanged; after a 500 do.",
        body: Body::Request("payment-instruction", &["payment_instruction"]),
        answers: &[done(
            201,
            "It is stored.",
            json(answer!(PaymentInstructionStored), &[("usual", examples::instruction)]),
        )],
        refusals: refusals::of_instruction,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/account-transfer-status/<supplier>/<number>/",
        id: "getAccountTransferStatus",
        tag: PROGRESS,
        summary: "Says in three words where the import of an account stands",
        answers: &[done(
            200,
            "The status.",
            json(answer!(TransferStatus), &[("usual", examples::transfer_status)]),
        )],
        refusals: refusals::of_path,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/all-account-import-processes/<supplier>/",
        id: "listAllAccounts",
        tag: PROGRESS,
        summary: "Lists pending and imported accounts",
        query: PAGES,
        answers: LIST,
        refusals: refusals::of_list,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/pending-account-import-processes/<supplier>/",
        id: "listPendingAccounts",
        tag: PROGRESS,
        summary: "Lists accounts that are staged and not imported",
        query: PAGES,
        answers: LIST,
        refusals: refusals::of_list,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/imported-account-import-processes/<supplier>/",
        id: "listImportedAccounts",
        tag: PROGRESS,
        summary: "Lists imported accounts",
        query: PAGES,
        answers: LIST,
        refusals: refusals::of_list,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/business/",
        method: "POST",
        id: "createBusiness",
        tag: BUSINESSES,
        summary: "Creates a business with all its contracts",
        notes: "Before any account that refers to one of its contracts. The same business again has the same number.",
        body: Body::Request("business", &["business"]),
        answers: &[done(
            201,
            "It is created.",
            json(answer!(BusinessCreated), &[("usual", examples::business)]),
        )],
        refusals: refusals::of_business,
        ..BASE
    },
    Operation {
        template: "/v1/data-import/business-payment-instruction/create/",
        method: "POST",
        id: "createBusinessPaymentInstruction",
        tag: BUSINESSES,
        summary: "Stores a payment instruction of a business",
        notes: "The payment vendor is asked first. After a 400 do not send it again unchanged; after a 500 do.",
        body: Body::Request("business-payment-instruction", &["business_payment_instruction"]),
        answers: &[done(
            201,
            "It is stored.",
            json(answer!(BusinessPaymentInstructionStored), &[("usual", examples::business_instruction)]),
        )],
        refusals: refusals::of_instruction,
        ..BASE
    },
    Operation {
        template: "/v1/graphql/",
        method: "POST",
        id: "obtainToken",
        tag: TOKENS,
        summary: "Obtains an access token",
        notes: "By the organisation's API key, or once by the refresh token of an earlier call. A refused key is \
                answered with 200 and `errors`, as GraphQL has it.",
        access: All,
        body: Body::Other(JSON, own::graphql_request, own::graphql_request_example),
        answers: &[done(
            200,
            "The result, or why there is none.",
            json(own::graphql_answer, &[("usual", own::graphql_answer_example)]),
        )],
        refusals: refusals::of_sign_in,
        ..BASE
    },
    Operation {
        template: "/healthz",
        id: "getHealth",
        summary: "Says that the process serves",
        access: All,
        answers: &[done(200, "It serves.", json(own::health, &[("usual", own::health_example)]))],
        ..BASE
    },
    Operation {
        template: "/readyz",
        id: "getReadiness",
        summary: "Says whether database and document storage answer",
        notes: "503 as well while the service is about to stop, and if it lacks the encryption key that tokens are verified \
                with: send to another node. Another missing encryption key is shown, and no cause for 503.",
        access: All,
        answers: &[
            done(200, "Both answer.", json(own::ready, &[("usual", own::ready_example)])),
            Done {
                status: 503,
                means: "One does not.",
                headers: &["Retry-After"],
                content: json(own::ready, &[("usual", own::unready_example)]),
            },
        ],
        ..BASE
    },
    Operation {
        template: "/metrics",
        id: "getMetrics",
        summary: "Gives metrics",
        notes: "Only on the address for operators where there is one.",
        access: All,
        answers: &[done(
            200,
            "The metrics.",
            Some(Content {
                media: "application/openmetrics-text",
                schema: own::metrics,
                examples: &[("usual", own::metrics_example)],
            }),
        )],
        ..BASE
    },
    Operation {
        template: "/openapi.json",
        id: "getDescription",
        summary: "Gives this description",
        access: All,
        answers: &[
            Done {
                status: 200,
                means: "The description.",
                headers: &["ETag"],
                content: json(own::description, &[("usual", own::description_example)]),
            },
            Done {
                status: 304,
                means: "It is what `If-None-Match` names.",
                headers: &["ETag"],
                content: None,
            },
        ],
        ..BASE
    },
    Operation {
        template: "/docs/",
        id: "readDescription",
        summary: "Gives this description as a page to read",
        access: All,
        answers: &[
            Done {
                status: 200,
                means: "The page.",
                headers: &["ETag"],
                content: Some(Content {
                    media: "text/html",
                    schema: own::page,
                    examples: &[("usual", own::page_example)],
                }),
            },
            Done {
                status: 304,
                means: "It is what `If-None-Match` names.",
                headers: &["ETag"],
                content: None,
            },
        ],
        ..BASE
    },
];
