-- The report and the downloads of runs that are gone, each until it is removed from its machine.
CREATE TABLE reprise.pruned_files (
    run  text COLLATE "C" NOT NULL,
    host text NOT NULL,
    file text NOT NULL,
    PRIMARY KEY (host, run, file)
);
