-- What may be paid without asking a person, and the ledger of what was. An entry and the note of its
-- commit are written, and change, together. The picture is of the page that an approval is about.
ALTER TABLE reprise.approvals ADD COLUMN picture bytea;

CREATE TABLE reprise.limits (
    id       text COLLATE "C" PRIMARY KEY,
    site     text NOT NULL,
    payee    text NOT NULL,
    currency text NOT NULL,
    record   text NOT NULL -- as a directory has it
);

CREATE INDEX limits_of_payee ON reprise.limits (site, payee, currency);

CREATE TABLE reprise.payments (
    run      text COLLATE "C" NOT NULL,
    step     bigint NOT NULL,
    site     text NOT NULL,
    payee    text NOT NULL,
    currency text NOT NULL,
    minor    bigint NOT NULL CHECK (minor > 0), -- in the smallest unit of the currency
    begun    timestamptz NOT NULL,              -- by the clock of this server
    state    text NOT NULL,
    PRIMARY KEY (run, step)
);

CREATE INDEX payments_of_payee ON reprise.payments (site, payee, currency, begun);
