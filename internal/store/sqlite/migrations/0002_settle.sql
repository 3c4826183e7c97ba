-- What is about to be written, committed before it: an operation whose reply is
-- lost is found again by its op_id.
CREATE TABLE desfecho_intents (
    op_id       TEXT        PRIMARY KEY,
    attempt     TEXT        NOT NULL,
    mark        TEXT        NOT NULL,
    digest      TEXT        NOT NULL,
    operator    TEXT        NOT NULL,
    login       TEXT        NOT NULL DEFAULT '',
    intended_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER))
) STRICT;

-- What was written and decided, one chain: each hash covers the one before it.
-- seq has no gaps, and neither an op_id nor a predecessor comes twice.
CREATE TABLE desfecho_audit (
    seq        INTEGER     PRIMARY KEY,
    format     INTEGER     NOT NULL,
    op_id      TEXT        NOT NULL UNIQUE,
    kind       TEXT        NOT NULL,
    at         INTEGER     NOT NULL,
    attempt    TEXT        NOT NULL,
    provider   TEXT        NOT NULL,
    account    TEXT        NOT NULL,
    mark       TEXT        NOT NULL,
    transition TEXT        NOT NULL,
    unit       TEXT        NOT NULL,
    amount     INTEGER     NOT NULL, -- minor units of currency
    currency   TEXT        NOT NULL,
    before     TEXT        NOT NULL,
    after      TEXT        NOT NULL,
    digest     TEXT        NOT NULL,
    evidence   TEXT        NOT NULL,
    reason     TEXT        NOT NULL,
    operator   TEXT        NOT NULL,
    login      TEXT        NOT NULL,
    program    TEXT        NOT NULL,
    prev_hash  TEXT        NOT NULL UNIQUE,
    hash       TEXT        NOT NULL
) STRICT;
CREATE INDEX desfecho_audit_attempt ON desfecho_audit (attempt);

-- Nobody changes the audit by mistake. Its owner still can on purpose, which
-- only a head that was kept elsewhere tells.
CREATE TRIGGER desfecho_audit_not_changed BEFORE UPDATE ON desfecho_audit BEGIN SELECT RAISE(ABORT, 'desfecho_audit is only added to'); END;
CREATE TRIGGER desfecho_audit_not_deleted BEFORE DELETE ON desfecho_audit BEGIN SELECT RAISE(ABORT, 'desfecho_audit is only added to'); END;

-- A second person's yes to one verdict. A file has no logins, so that none can
-- be given here; the table is that of the other database.
CREATE TABLE desfecho_approvals (
    attempt     TEXT        NOT NULL,
    mark        TEXT        NOT NULL,
    digest      TEXT        NOT NULL,
    operator    TEXT        NOT NULL,
    login       TEXT        NOT NULL DEFAULT '',
    approved_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    PRIMARY KEY (attempt, digest, login)
) STRICT;

-- What a person saw at the provider.
CREATE TABLE desfecho_manual_evidence (
    op_id       TEXT        PRIMARY KEY,
    attempt     TEXT        NOT NULL,
    seen        TEXT        NOT NULL, -- captured, declined, absent
    place       TEXT        NOT NULL,
    note        TEXT        NOT NULL,
    attachment  TEXT        NOT NULL, -- hex SHA-256 of a file that is kept elsewhere
    operator    TEXT        NOT NULL,
    login       TEXT        NOT NULL DEFAULT '',
    observed_at INTEGER     NOT NULL,
    added_at    INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER))
) STRICT;
CREATE INDEX desfecho_manual_evidence_attempt ON desfecho_manual_evidence (attempt);
