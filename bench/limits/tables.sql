-- What pgbench inserts into: a payload and the row of its process, and readings as an import writes them.
DROP TABLE IF EXISTS limit_processes, limit_payloads_bytea, limit_payloads_jsonb, limit_readings, limit_meters;
CREATE TABLE limit_payloads_bytea (id bigserial PRIMARY KEY, body bytea NOT NULL);
-- Compressed already.
ALTER TABLE limit_payloads_bytea ALTER body SET STORAGE EXTERNAL;
CREATE TABLE limit_payloads_jsonb (id bigserial PRIMARY KEY, body jsonb NOT NULL);
CREATE TABLE limit_processes (
    id bigserial PRIMARY KEY,
    number text NOT NULL UNIQUE,
    state text NOT NULL,
    payload bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE limit_meters (id bigint PRIMARY KEY);
INSERT INTO limit_meters SELECT generate_series(1, 10);
CREATE TABLE limit_readings (
    id bigserial PRIMARY KEY,
    meter bigint NOT NULL REFERENCES limit_meters,
    day date NOT NULL,
    value numeric NOT NULL,
    kind text NOT NULL
);
CREATE INDEX ON limit_readings (meter, day);
