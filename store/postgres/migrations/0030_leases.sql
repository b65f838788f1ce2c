-- Who may act on a site with an account. A row stays when nobody may: its token only rises.
CREATE TABLE reprise.leases (
    site    text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL, -- '' is one that nobody has named
    token   bigint NOT NULL,           -- of whoever took it last
    run     text COLLATE "C" NOT NULL,
    taker   text COLLATE "C" NOT NULL, -- by which a call that is made again knows its own
    expires timestamptz NOT NULL,      -- by the clock of this server, and no other
    PRIMARY KEY (site, account)
);

CREATE SEQUENCE reprise.fences;

-- Who takes runs from the queue, and was heard of when.
CREATE TABLE reprise.workers (
    id   text COLLATE "C" PRIMARY KEY,
    host text NOT NULL,
    seen timestamptz NOT NULL
);
