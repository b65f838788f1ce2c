-- What runs ask a person for. A nonce with which somebody may answer is kept as a hash.
CREATE TABLE reprise.approvals (
    id          text COLLATE "C" PRIMARY KEY,
    run         text COLLATE "C" NOT NULL,
    question    text NOT NULL,                  -- JSON, as it was asked
    asked       timestamptz NOT NULL,
    deadline    timestamptz NOT NULL,           -- by the clock of this server, and no other
    state       text NOT NULL DEFAULT 'pending',
    offers      jsonb NOT NULL DEFAULT '{}',    -- by the hash of a nonce, to whom it was given
    answered    timestamptz,
    answered_by text,
    answer      text, -- by which a call that is made again knows its own answer
    spent       timestamptz,
    spending    text  -- the same of who has counted on it
);

CREATE INDEX approvals_pending ON reprise.approvals (id) WHERE state = 'pending';
CREATE INDEX approvals_of_run ON reprise.approvals (run) WHERE state = 'pending';

-- When a person had the browser. The record is the text that a directory has in a file, as
-- it was at the beginning; what became of it stands beside it.
CREATE TABLE reprise.handoffs (
    id       text COLLATE "C" PRIMARY KEY,
    record   text NOT NULL,
    started  timestamptz NOT NULL,
    deadline timestamptz NOT NULL,
    state    text NOT NULL,
    ended    timestamptz,
    after    text,
    ending   text -- by which a call that is made again knows its own
);

CREATE TABLE reprise.handoff_events (
    handoff text COLLATE "C" NOT NULL REFERENCES reprise.handoffs ON DELETE CASCADE,
    number  bigint NOT NULL,
    id      text NOT NULL,
    line    text NOT NULL, -- as a directory has it
    PRIMARY KEY (handoff, number),
    UNIQUE (handoff, id)
);
