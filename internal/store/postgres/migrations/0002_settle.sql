-- What is about to be written, committed before it: an operation whose reply is
-- lost is found again by its op_id.
CREATE TABLE desfecho.intents (
    op_id       text        PRIMARY KEY,
    attempt     text        NOT NULL,
    mark        text        NOT NULL,
    digest      text        NOT NULL,
    operator    text        NOT NULL,
    login       text        NOT NULL DEFAULT session_user,
    intended_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What was written and decided, one chain: each hash covers the one before it.
-- seq has no gaps, and neither an op_id nor a predecessor comes twice.
CREATE TABLE desfecho.audit (
    seq        bigint      PRIMARY KEY,
    format     integer     NOT NULL,
    op_id      text        NOT NULL UNIQUE,
    kind       text        NOT NULL,
    at         timestamptz NOT NULL,
    attempt    text        NOT NULL,
    provider   text        NOT NULL,
    account    text        NOT NULL,
    mark       text        NOT NULL,
    transition text        NOT NULL,
    unit       text        NOT NULL,
    amount     bigint      NOT NULL, -- minor units of currency
    currency   text        NOT NULL,
    before     text        NOT NULL,
    after      text        NOT NULL,
    digest     text        NOT NULL,
    evidence   text        NOT NULL,
    reason     text        NOT NULL,
    operator   text        NOT NULL,
    login      text        NOT NULL,
    program    text        NOT NULL,
    prev_hash  text        NOT NULL UNIQUE,
    hash       text        NOT NULL
);
CREATE INDEX audit_attempt ON desfecho.audit (attempt);

-- Nobody changes the audit by mistake. Its owner still can on purpose, which
-- only a head that was kept elsewhere tells.
CREATE FUNCTION desfecho.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'desfecho.% is only added to', TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON desfecho.audit FOR EACH ROW EXECUTE FUNCTION desfecho.refuse_change();
CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON desfecho.audit FOR EACH STATEMENT EXECUTE FUNCTION desfecho.refuse_change();

-- A second person's yes to one verdict.
CREATE TABLE desfecho.approvals (
    attempt     text        NOT NULL,
    mark        text        NOT NULL,
    digest      text        NOT NULL,
    operator    text        NOT NULL,
    login       text        NOT NULL DEFAULT session_user,
    approved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (attempt, digest, login)
);

-- What a person saw at the provider.
CREATE TABLE desfecho.manual_evidence (
    op_id       text        PRIMARY KEY,
    attempt     text        NOT NULL,
    seen        text        NOT NULL, -- captured, declined, absent
    place       text        NOT NULL,
    note        text        NOT NULL,
    attachment  text        NOT NULL, -- hex SHA-256 of a file that is kept elsewhere
    operator    text        NOT NULL,
    login       text        NOT NULL DEFAULT session_user,
    observed_at timestamptz NOT NULL,
    added_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX manual_evidence_attempt ON desfecho.manual_evidence (attempt);
