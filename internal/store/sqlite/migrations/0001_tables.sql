-- desfecho's own tables. It never changes yours through them. Instants are
-- microseconds since 1970 in UTC, days ISO dates.

-- Who may write what an account of a provider says. A lease whose time is over
-- is free; token grows with each acquisition.
CREATE TABLE desfecho_leases (
    provider    TEXT        NOT NULL,
    account     TEXT        NOT NULL,
    owner       TEXT        NOT NULL,
    token       INTEGER      NOT NULL,
    acquired_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    PRIMARY KEY (provider, account)
) STRICT;

-- One row for each stored page of a statement.
CREATE TABLE desfecho_pages (
    page      INTEGER PRIMARY KEY,
    provider  TEXT        NOT NULL,
    account   TEXT        NOT NULL,
    source    TEXT        NOT NULL,
    owner     TEXT        NOT NULL,
    stored_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    fresh     INTEGER     NOT NULL,
    later     INTEGER     NOT NULL,
    restated  INTEGER     NOT NULL,
    repeated  INTEGER     NOT NULL
) STRICT;

CREATE TABLE desfecho_cursors (
    provider  TEXT        NOT NULL,
    account   TEXT        NOT NULL,
    mode      TEXT        NOT NULL,
    statement TEXT        NOT NULL,
    value     TEXT        NOT NULL,
    stored_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    PRIMARY KEY (provider, account, mode, statement)
) STRICT;

-- Lines of statements, every version of a restated one. identity tells one line
-- from another, content one version from another, facts a restatement from a
-- mere later version; desfecho_lines_keys holds hashes of what a line is
-- found by. Amounts are minor units of currency, presented those of
-- presented_currency.
CREATE TABLE desfecho_lines (
    line INTEGER PRIMARY KEY,
    page               INTEGER  NOT NULL,
    identity           BLOB    NOT NULL,
    content            INTEGER  NOT NULL,
    facts              INTEGER  NOT NULL,
    provider           TEXT    NOT NULL,
    account            TEXT    NOT NULL,
    mode               TEXT    NOT NULL,
    statement          TEXT    NOT NULL,
    line_id            TEXT    NOT NULL,
    kind               TEXT    NOT NULL,
    unit               TEXT    NOT NULL,
    parent             TEXT    NOT NULL,
    refs               TEXT    NOT NULL,
    foreign_charge     TEXT    NOT NULL,
    payout             TEXT    NOT NULL,
    recipient          TEXT    NOT NULL,
    raw                TEXT    NOT NULL,
    status             TEXT    NOT NULL,
    gross              INTEGER  NOT NULL,
    fee                INTEGER  NOT NULL,
    tax                INTEGER  NOT NULL,
    net                INTEGER  NOT NULL,
    currency           TEXT    NOT NULL,
    presented          INTEGER,
    presented_currency TEXT    NOT NULL,
    occurred_at        INTEGER,
    available_at       INTEGER,
    day                TEXT,
    n                  INTEGER NOT NULL,
    of_n               INTEGER NOT NULL,
    day_only           INTEGER NOT NULL,
    still              INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX desfecho_lines_version ON desfecho_lines (identity, content);
CREATE INDEX desfecho_lines_day ON desfecho_lines (provider, day);
CREATE INDEX desfecho_lines_page ON desfecho_lines (page);
CREATE INDEX desfecho_lines_payout ON desfecho_lines (payout) WHERE payout <> '';
CREATE TABLE desfecho_lines_keys (key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (key, row)) STRICT, WITHOUT ROWID;

-- What a list or ledger said of a sale, refund or transfer, each statement once
-- with the first and last time it was seen.
CREATE TABLE desfecho_units (
    observation     INTEGER PRIMARY KEY,
    page            INTEGER  NOT NULL,
    fingerprint     BLOB    NOT NULL,
    provider        TEXT    NOT NULL,
    account         TEXT    NOT NULL,
    mode            TEXT    NOT NULL,
    unit            TEXT    NOT NULL,
    aliases         TEXT    NOT NULL,
    group_id        TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    refs            TEXT    NOT NULL,
    foreign_charge  TEXT    NOT NULL,
    parent          TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    raw_state       TEXT    NOT NULL,
    final           INTEGER NOT NULL,
    asked           INTEGER,
    captured        INTEGER,
    principal       INTEGER,
    currency        TEXT    NOT NULL,
    method          TEXT    NOT NULL,
    created_at      INTEGER,
    precision_us    INTEGER  NOT NULL,
    n               INTEGER NOT NULL,
    of_n            INTEGER NOT NULL,
    plan            TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    source          INTEGER NOT NULL, -- bits: 1 list, 2 ledger, 4 look-up
    statement       TEXT    NOT NULL,
    first_seen      INTEGER,
    last_seen       INTEGER
) STRICT;
CREATE UNIQUE INDEX desfecho_units_fingerprint ON desfecho_units (fingerprint);
CREATE INDEX desfecho_units_created ON desfecho_units (provider, created_at);
CREATE TABLE desfecho_units_keys (key INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (key, row)) STRICT, WITHOUT ROWID;

-- Which instants of a statement were read to the end.
CREATE TABLE desfecho_coverage (
    part           INTEGER PRIMARY KEY,
    page           INTEGER  NOT NULL,
    provider       TEXT    NOT NULL,
    account        TEXT    NOT NULL,
    mode           TEXT    NOT NULL,
    sort           TEXT    NOT NULL,
    statement      TEXT    NOT NULL,
    grade          TEXT    NOT NULL,
    from_at        INTEGER,
    through_at     INTEGER,
    holes          TEXT    NOT NULL,
    publish_lag_us INTEGER  NOT NULL,
    members        INTEGER NOT NULL, -- 0 all, 1 some, 2 none of a payout's lines are told
    opening        INTEGER,
    closing        INTEGER,
    lines          INTEGER NOT NULL,
    fingerprint    BLOB    NOT NULL UNIQUE
) STRICT;

-- What a provider answered when it was asked about an attempt.
CREATE TABLE desfecho_lookups (
    lookup      INTEGER PRIMARY KEY,
    fingerprint BLOB        NOT NULL UNIQUE,
    attempt     TEXT        NOT NULL,
    provider    TEXT        NOT NULL,
    account     TEXT        NOT NULL,
    key_kind    TEXT        NOT NULL,
    key_name    TEXT        NOT NULL,
    key_value   TEXT        NOT NULL,
    observed_at INTEGER NOT NULL,
    outcome     TEXT        NOT NULL,
    reason      TEXT        NOT NULL,
    no_control  INTEGER     NOT NULL,
    units       TEXT        NOT NULL
) STRICT;
CREATE INDEX desfecho_lookups_attempt ON desfecho_lookups (attempt);

CREATE TABLE desfecho_dismissals (
    attempt      TEXT        NOT NULL,
    unit         TEXT        NOT NULL,
    reason       TEXT        NOT NULL,
    operator     TEXT        NOT NULL,
    login        TEXT        NOT NULL DEFAULT '',
    dismissed_at INTEGER NOT NULL,
    PRIMARY KEY (attempt, unit)
) STRICT;

-- Runs, whole: a report is made again from result alone.
CREATE TABLE desfecho_runs (
    run       TEXT        PRIMARY KEY,
    saved_at  INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    at        INTEGER NOT NULL,
    began     INTEGER,
    program   TEXT        NOT NULL,
    providers TEXT        NOT NULL,
    verdict   TEXT        NOT NULL,
    page      INTEGER      NOT NULL,
    result    TEXT        NOT NULL
) STRICT;

-- The last run of each provider, whose memory the next one goes on from, and
-- whether it came to tell what it found.
CREATE TABLE desfecho_heads (
    provider TEXT    PRIMARY KEY,
    run      TEXT    NOT NULL REFERENCES desfecho_runs,
    page     INTEGER NOT NULL,
    told     INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Divergences as they stand, and what they went through.
CREATE TABLE desfecho_divergences (
    divergence TEXT        PRIMARY KEY,
    provider   TEXT        NOT NULL,
    account    TEXT        NOT NULL,
    mode       TEXT        NOT NULL,
    class      TEXT        NOT NULL,
    severity   TEXT        NOT NULL,
    subject    TEXT        NOT NULL,
    ids        TEXT        NOT NULL,
    minor      INTEGER      NOT NULL,
    currency   TEXT        NOT NULL,
    first_seen INTEGER,
    state      TEXT        NOT NULL,
    cause      TEXT        NOT NULL,
    run        TEXT        NOT NULL REFERENCES desfecho_runs
) STRICT;
CREATE INDEX desfecho_divergences_provider ON desfecho_divergences (provider);

CREATE TABLE desfecho_life (
    divergence TEXT   NOT NULL,
    run        TEXT   NOT NULL REFERENCES desfecho_runs,
    state      TEXT   NOT NULL,
    class      TEXT   NOT NULL,
    severity   TEXT   NOT NULL,
    minor      INTEGER NOT NULL,
    currency   TEXT   NOT NULL,
    cause      TEXT   NOT NULL,
    PRIMARY KEY (divergence, run)
) STRICT;

-- What people decided about divergences.
CREATE TABLE desfecho_notes (
    note       INTEGER PRIMARY KEY,
    divergence TEXT        NOT NULL,
    kind       TEXT        NOT NULL,
    until      INTEGER,
    class      TEXT        NOT NULL,
    minor      INTEGER      NOT NULL,
    currency   TEXT        NOT NULL,
    words      TEXT        NOT NULL,
    operator   TEXT        NOT NULL,
    login      TEXT        NOT NULL DEFAULT '',
    noted_at   INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER))
) STRICT;
CREATE INDEX desfecho_notes_divergence ON desfecho_notes (divergence);

CREATE TABLE desfecho_transit (
    provider TEXT        NOT NULL,
    attempt  TEXT        NOT NULL,
    break_on INTEGER,
    minor    INTEGER      NOT NULL,
    currency TEXT        NOT NULL,
    PRIMARY KEY (provider, attempt)
) STRICT;

-- What each report of a statement day rested on; a late line makes a new
-- version, the old one stays.
CREATE TABLE desfecho_days (
    provider TEXT    NOT NULL,
    account  TEXT    NOT NULL,
    day      TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    run      TEXT    NOT NULL REFERENCES desfecho_runs,
    lines    INTEGER NOT NULL,
    hash     INTEGER  NOT NULL,
    PRIMARY KEY (provider, account, day, version)
) STRICT;
