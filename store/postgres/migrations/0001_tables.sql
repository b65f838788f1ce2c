-- What is compared and sorted is so by its bytes, as the directory store does it.

CREATE TABLE reprise.automations (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     text COLLATE "C" NOT NULL,
    account  text COLLATE "C" NOT NULL, -- '' is any account
    revision bigint NOT NULL,           -- the newest
    urls     text[] NOT NULL,           -- the scope of the newest
    deleted  timestamptz                -- its revisions are kept
);

CREATE UNIQUE INDEX automations_by_key ON reprise.automations (name, account) WHERE deleted IS NULL;

-- json, not jsonb: the text stays as it was written, and may hold any character.
CREATE TABLE reprise.revisions (
    automation bigint NOT NULL REFERENCES reprise.automations ON DELETE CASCADE,
    revision   bigint NOT NULL,
    document   json NOT NULL,
    saved      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (automation, revision)
);

-- Where automations that may match an address are looked for. A place is the hash of
-- an account and of what automation.Places gives, which may be longer than an index
-- takes.
CREATE TABLE reprise.places (
    place      bytea NOT NULL,
    automation bigint NOT NULL REFERENCES reprise.automations ON DELETE CASCADE,
    PRIMARY KEY (place, automation)
);

CREATE INDEX places_by_automation ON reprise.places (automation);

CREATE TABLE reprise.runs (
    id     text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);

CREATE TABLE reprise.commits (
    run    text COLLATE "C" NOT NULL,
    step   bigint NOT NULL,
    sent   timestamptz NOT NULL DEFAULT now(),
    done   boolean NOT NULL DEFAULT false,
    caller bytea, -- by which a call that is made again knows its own note
    PRIMARY KEY (run, step)
);
