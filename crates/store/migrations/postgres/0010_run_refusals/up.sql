-- Accounts that were sent during a run and refused. Those of an open run are in refused_creates.
CREATE TABLE run_refusals (
    run_id BIGINT NOT NULL REFERENCES runs (id),
    external_account_number TEXT COLLATE "C" NOT NULL,
    refused_at TIMESTAMPTZ NOT NULL,
    causes TEXT NOT NULL, -- as refused_creates.causes
    PRIMARY KEY (run_id, external_account_number)
);
