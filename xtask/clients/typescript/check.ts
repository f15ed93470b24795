// Migrates the fixtures with the types that openapi-typescript generated (`cargo xtask check --only clients`).
//
// Environment: CUTOVER_URL, CUTOVER_KEY and CUTOVER_READER_KEY (keys of a supplier and of a reader), CUTOVER_SUPPLIER.
// `fixtures.ts` holds every valid request, each declared as its type: the compiler checks that the types accept it.

import assert from "node:assert/strict";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.js";
import { accounts, businesses, notes } from "./fixtures.js";

type Schemas = components["schemas"];
type Event = Schemas["Event"];

function environment(name: string): string {
    const value = process.env[name];
    assert(value, name);
    return value;
}

const baseUrl = environment("CUTOVER_URL");
const supplier = environment("CUTOVER_SUPPLIER");

/** A client with a token for the key. */
async function signIn(key: string) {
    const client = createClient<paths>({ baseUrl });
    const query =
        "mutation Obtain($input: ObtainTokenInput!) { obtainToken(input: $input) { token refreshExpiresIn } }";
    const body = { query, variables: { input: { apiKey: key } } };
    const { data, error } = await client.POST("/v1/graphql/", { body });
    const token = data?.data?.obtainToken?.token;
    assert(token, JSON.stringify(error ?? data?.errors?.map(({ message }) => message)));
    const sign: Middleware = {
        onRequest({ request }) {
            request.headers.set("Authorization", `Token ${token}`);
        },
    };
    client.use(sign);
    return client;
}

type Client = Awaited<ReturnType<typeof signIn>>;

/** Reads the feed, one page after another, until as many accounts are imported. */
async function eventsUntil(client: Client, count: number): Promise<Event[]> {
    const events: Event[] = [];
    while (events.filter(({ type }) => type === "account_import_process.processed").length < count) {
        const last = events.at(-1);
        const query = { import_supplier: supplier, wait: 30, ...(last ? { after: last.id } : {}) };
        const { data, error } = await client.GET("/v2/data-import/events/", { params: { query } });
        assert(data?.length, `no event within 30 seconds after ${events.length}: ${JSON.stringify(error)}`);
        events.push(...data);
    }
    return events;
}

/** The kinds of the account's meter points; undefined if the supplier leaves it to the service. */
function supplyTypes(account: Schemas["Account"] | Schemas["ImportedAccount"]) {
    return (account.supply_addresses ?? []).flatMap(({ meter_points }) =>
        meter_points.map(({ supply_type }) => supply_type),
    );
}

/** The account, with or without its envelope. */
function payload(account: Schemas["Account"] | Schemas["AccountEnvelope"]): Schemas["Account"] {
    return "payload" in account ? account.payload : account;
}

/** Each form of a refusal is told apart by its members. */
async function refusals(client: Client, account: Schemas["Account"]): Promise<void> {
    const again = await client.POST("/v2/data-import/accounts/", { body: account });
    assert(again.error && "non_field_errors" in again.error && again.error.account_id, JSON.stringify(again.error));
    const body: Schemas["Account"] = { ...account, import_supplier: "NOBODY" };
    const refused = await client.POST("/v2/data-import/accounts/validate/", { body });
    assert(refused.error && "errors" in refused.error && refused.error.errors[0]?.code, JSON.stringify(refused.error));
    const params = { path: { supplier, number: "none" } };
    const unknown = await client.GET("/v2/data-import/accounts/{supplier}/{number}/", { params });
    assert(unknown.error && "code" in unknown.error && unknown.error.code === "not_found");
}

async function main(): Promise<void> {
    const client = await signIn(environment("CUTOVER_KEY"));
    const reader = await signIn(environment("CUTOVER_READER_KEY"));

    for (const [name, body] of Object.entries(businesses)) {
        const { data, error } = await client.POST("/v1/data-import/business/", { body });
        assert(data, `${name}: ${JSON.stringify(error)}`);
        assert.equal(data.external_business_identifier, body.external_business_identifier);
    }

    for (const [name, body] of Object.entries(accounts)) {
        const valid = await client.POST("/v2/data-import/accounts/validate/", { body });
        assert(valid.data, `${name}: ${JSON.stringify(valid.error)}`);
        const created = await client.POST("/v2/data-import/accounts/", { body });
        assert(created.data, `${name}: ${JSON.stringify(created.error)}`);
    }

    const events = await eventsUntil(reader, Object.keys(accounts).length);
    for (const [name, account] of Object.entries(accounts)) {
        const sent = payload(account);
        const params = { path: { supplier, number: sent.external_account_number } };
        const status = await client.GET("/v2/data-import/accounts/{supplier}/{number}/", { params });
        assert.equal(status.data?.status, "PROCESSED", `${name}: ${JSON.stringify(status)}`);
        const imported = await reader.GET("/v2/data-import/imported-accounts/{supplier}/{number}/", { params });
        assert(imported.data && status.data, `${name}: ${JSON.stringify(imported.error)}`);
        assert.equal(imported.data.service_account_number, status.data.service_identifier);
        const kinds = supplyTypes(imported.data);
        assert(kinds.length > 0, name);
        supplyTypes(sent).forEach((kind, i) => assert(kinds[i] && (kind ?? kinds[i]) === kinds[i], name));
        const number = imported.data.service_account_number;
        assert(events.some((event) => event.service_account_number === number), name);
    }
    const progress = await client.GET("/v2/data-import/import-suppliers/{supplier}/progress/", {
        params: { path: { supplier } },
    });
    assert.equal(progress.data?.counts.PROCESSED, Object.keys(accounts).length);

    for (const [name, body] of Object.entries(notes)) {
        const { data, error } = await client.POST("/v1/data-import/notes/create/", { body });
        assert(data?.[0]?.status, `${name}: ${JSON.stringify(error)}`);
    }

    await refusals(client, payload(accounts.electricity));
    console.log(`TypeScript: ${Object.keys(accounts).length} accounts, ${events.length} events`);
}

await main();
