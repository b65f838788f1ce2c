-- What is sealed. The record is the text that a directory has in a file: what may be
-- seen, and an age file. No key is ever in the database.

CREATE TABLE reprise.envelopes (
    kind     text COLLATE "C" NOT NULL, -- task, credential
    name     text COLLATE "C" NOT NULL,
    account  text COLLATE "C" NOT NULL, -- '' is none
    revision bigint NOT NULL,
    record   text NOT NULL,
    PRIMARY KEY (kind, name, account)
);
