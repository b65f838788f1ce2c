-- What agents have called: the lines of each session's trace as they are hashed, and
-- where each trace ends.

CREATE TABLE reprise.traces (
    session text COLLATE "C" PRIMARY KEY,
    calls   bigint NOT NULL,
    hash    text NOT NULL
);

CREATE TABLE reprise.calls (
    session text COLLATE "C" NOT NULL,
    number  bigint NOT NULL,
    id      text NOT NULL,
    started timestamptz NOT NULL,
    line    text NOT NULL,
    PRIMARY KEY (session, number),
    UNIQUE (session, id)
);

CREATE INDEX calls_by_time ON reprise.calls (started);
