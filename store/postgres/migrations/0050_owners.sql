-- Whose calls and runs are: '' is the session's own for a call, and no agent's for a run.

ALTER TABLE reprise.calls ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX calls_by_owner ON reprise.calls (coalesce(nullif(owner, ''), session), started DESC);

ALTER TABLE reprise.runs ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX runs_by_owner ON reprise.runs (owner, id);
