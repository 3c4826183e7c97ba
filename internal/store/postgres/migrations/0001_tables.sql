-- desfecho's own tables. It never changes yours through them.

-- Who may write what an account of a provider says. A lease whose time is over
-- is free; token grows with each acquisition.
CREATE TABLE desfecho.leases (
    provider    text        NOT NULL,
    account     text        NOT NULL,
    owner       text        NOT NULL,
    token       bigint      NOT NULL,
    acquired_at timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (provider, account)
);

-- One row for each stored page of a statement.
CREATE TABLE desfecho.pages (
    page      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider  text        NOT NULL,
    account   text        NOT NULL,
    source    text        NOT NULL,
    owner     text        NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    fresh     integer     NOT NULL,
    later     integer     NOT NULL,
    restated  integer     NOT NULL,
    repeated  integer     NOT NULL
);

CREATE TABLE desfecho.cursors (
    provider  text        NOT NULL,
    account   text        NOT NULL,
    mode      text        NOT NULL,
    statement text        NOT NULL,
    value     text        NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (provider, account, mode, statement)
);

-- Lines of statements, every version of a restated one. identity tells one line
-- from another, content one version from another, facts a restatement from a
-- mere later version; lines_keys holds hashes of what a line is found by. Amounts
-- are minor units of currency, presented those of presented_currency.
CREATE TABLE desfecho.lines (
    line               bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page               bigint  NOT NULL,
    identity           uuid    NOT NULL,
    content            bigint  NOT NULL,
    facts              bigint  NOT NULL,
    provider           text    NOT NULL,
    account            text    NOT NULL,
    mode               text    NOT NULL,
    statement          text    NOT NULL,
    line_id            text    NOT NULL,
    kind               text    NOT NULL,
    unit               text    NOT NULL,
    parent             text    NOT NULL,
    refs               text    NOT NULL,
    foreign_charge     text    NOT NULL,
    payout             text    NOT NULL,
    recipient          text    NOT NULL,
    raw                text    NOT NULL,
    status             text    NOT NULL,
    gross              bigint  NOT NULL,
    fee                bigint  NOT NULL,
    tax                bigint  NOT NULL,
    net                bigint  NOT NULL,
    currency           text    NOT NULL,
    presented          bigint,
    presented_currency text    NOT NULL,
    occurred_at        timestamptz,
    available_at       timestamptz,
    day                date,
    n                  integer NOT NULL,
    of_n               integer NOT NULL,
    day_only           boolean NOT NULL,
    still              boolean NOT NULL
);
CREATE UNIQUE INDEX lines_version ON desfecho.lines (identity, content);
CREATE INDEX lines_day ON desfecho.lines (provider, day);
CREATE INDEX lines_page ON desfecho.lines USING brin (page);
CREATE INDEX lines_payout ON desfecho.lines (payout) WHERE payout <> '';
CREATE TABLE desfecho.lines_keys (key bigint NOT NULL, row bigint NOT NULL, PRIMARY KEY (key, row));

-- What a list or ledger said of a sale, refund or transfer, each statement once
-- with the first and last time it was seen.
CREATE TABLE desfecho.units (
    observation     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page            bigint  NOT NULL,
    fingerprint     uuid    NOT NULL,
    provider        text    NOT NULL,
    account         text    NOT NULL,
    mode            text    NOT NULL,
    unit            text    NOT NULL,
    aliases         text    NOT NULL,
    group_id        text    NOT NULL,
    idempotency_key text    NOT NULL,
    refs            text    NOT NULL,
    foreign_charge  text    NOT NULL,
    parent          text    NOT NULL,
    state           text    NOT NULL,
    raw_state       text    NOT NULL,
    final           boolean NOT NULL,
    asked           bigint,
    captured        bigint,
    principal       bigint,
    currency        text    NOT NULL,
    method          text    NOT NULL,
    created_at      timestamptz,
    precision_us    bigint  NOT NULL,
    n               integer NOT NULL,
    of_n            integer NOT NULL,
    plan            text    NOT NULL,
    reason          text    NOT NULL,
    source          integer NOT NULL, -- bits: 1 list, 2 ledger, 4 look-up
    statement       text    NOT NULL,
    first_seen      timestamptz,
    last_seen       timestamptz
);
CREATE UNIQUE INDEX units_fingerprint ON desfecho.units (fingerprint);
CREATE INDEX units_created ON desfecho.units (provider, created_at);
CREATE TABLE desfecho.units_keys (key bigint NOT NULL, row bigint NOT NULL, PRIMARY KEY (key, row));

-- Which instants of a statement were read to the end.
CREATE TABLE desfecho.coverage (
    part           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page           bigint  NOT NULL,
    provider       text    NOT NULL,
    account        text    NOT NULL,
    mode           text    NOT NULL,
    sort           text    NOT NULL,
    statement      text    NOT NULL,
    grade          text    NOT NULL,
    from_at        timestamptz,
    through_at     timestamptz,
    holes          text    NOT NULL,
    publish_lag_us bigint  NOT NULL,
    members        integer NOT NULL, -- 0 all, 1 some, 2 none of a payout's lines are told
    opening        bigint,
    closing        bigint,
    lines          integer NOT NULL,
    fingerprint    uuid    NOT NULL UNIQUE
);

-- What a provider answered when it was asked about an attempt.
CREATE TABLE desfecho.lookups (
    lookup      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fingerprint uuid        NOT NULL UNIQUE,
    attempt     text        NOT NULL,
    provider    text        NOT NULL,
    account     text        NOT NULL,
    key_kind    text        NOT NULL,
    key_name    text        NOT NULL,
    key_value   text        NOT NULL,
    observed_at timestamptz NOT NULL,
    outcome     text        NOT NULL,
    reason      text        NOT NULL,
    no_control  boolean     NOT NULL,
    units       json        NOT NULL
);
CREATE INDEX lookups_attempt ON desfecho.lookups (attempt);

CREATE TABLE desfecho.dismissals (
    attempt      text        NOT NULL,
    unit         text        NOT NULL,
    reason       text        NOT NULL,
    operator     text        NOT NULL,
    login        text        NOT NULL DEFAULT session_user,
    dismissed_at timestamptz NOT NULL,
    PRIMARY KEY (attempt, unit)
);

-- Runs, whole: a report is made again from result alone.
CREATE TABLE desfecho.runs (
    run       text        PRIMARY KEY,
    saved_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    at        timestamptz NOT NULL,
    began     timestamptz,
    program   text        NOT NULL,
    providers text        NOT NULL,
    verdict   text        NOT NULL,
    page      bigint      NOT NULL,
    result    json        NOT NULL
);

-- The last run of each provider, whose memory the next one goes on from, and
-- whether it came to tell what it found.
CREATE TABLE desfecho.heads (
    provider text    PRIMARY KEY,
    run      text    NOT NULL REFERENCES desfecho.runs,
    page     bigint  NOT NULL,
    told     boolean NOT NULL DEFAULT false
);

-- Divergences as they stand, and what they went through.
CREATE TABLE desfecho.divergences (
    divergence text        PRIMARY KEY,
    provider   text        NOT NULL,
    account    text        NOT NULL,
    mode       text        NOT NULL,
    class      text        NOT NULL,
    severity   text        NOT NULL,
    subject    text        NOT NULL,
    ids        json        NOT NULL,
    minor      bigint      NOT NULL,
    currency   text        NOT NULL,
    first_seen timestamptz,
    state      text        NOT NULL,
    cause      text        NOT NULL,
    run        text        NOT NULL REFERENCES desfecho.runs
);
CREATE INDEX divergences_provider ON desfecho.divergences (provider);

CREATE TABLE desfecho.life (
    divergence text   NOT NULL,
    run        text   NOT NULL REFERENCES desfecho.runs,
    state      text   NOT NULL,
    class      text   NOT NULL,
    severity   text   NOT NULL,
    minor      bigint NOT NULL,
    currency   text   NOT NULL,
    cause      text   NOT NULL,
    PRIMARY KEY (divergence, run)
);

-- What people decided about divergences.
CREATE TABLE desfecho.notes (
    note       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    divergence text        NOT NULL,
    kind       text        NOT NULL,
    until      timestamptz,
    class      text        NOT NULL,
    minor      bigint      NOT NULL,
    currency   text        NOT NULL,
    words      text        NOT NULL,
    operator   text        NOT NULL,
    login      text        NOT NULL DEFAULT session_user,
    noted_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX notes_divergence ON desfecho.notes (divergence);

CREATE TABLE desfecho.transit (
    provider text        NOT NULL,
    attempt  text        NOT NULL,
    break_on timestamptz,
    minor    bigint      NOT NULL,
    currency text        NOT NULL,
    PRIMARY KEY (provider, attempt)
);

-- What each report of a statement day rested on; a late line makes a new
-- version, the old one stays.
CREATE TABLE desfecho.days (
    provider text    NOT NULL,
    account  text    NOT NULL,
    day      date    NOT NULL,
    version  integer NOT NULL,
    run      text    NOT NULL REFERENCES desfecho.runs,
    lines    integer NOT NULL,
    hash     bigint  NOT NULL,
    PRIMARY KEY (provider, account, day, version)
);
