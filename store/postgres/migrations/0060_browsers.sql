-- What outlives its process: browsers, sessions at providers, browser contexts.
CREATE TABLE reprise.browsers (
    id     text COLLATE "C" PRIMARY KEY,
    record text NOT NULL
);
