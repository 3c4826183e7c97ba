-- desfecho.settle gives one attempt its outcome: the whole write of RULES §7
-- with the transitions that the configuration declares. No SQL is passed to it,
-- and no row is left half written: whatever it refuses, it raises.
--   DF001 no such intent of this login       DF002 no legal write
--   DF003 the row is not the one that was seen, DF004 the update reached no row
--   DF005 a follow-up touched another number of rows
--   DF006 the evidence does not carry it     DF007 a second person must approve
--   DF008 another attempt holds the object   DF009 the caller has another configuration
--   DF010 another attempt of the charge is not as it was seen
-- configuration sha256: {{.Hash}}
#variable_conflict error
DECLARE
    i desfecho.intents;
    e desfecho.audit;
    p record;  -- what is configured of the provider
    s record;  -- what the look-ups say
    n bigint;
    v_word     text := {{.Word}};
    v_status   text;
    v_before   text := {{.ProviderID}};
    v_after    text;
    v_stands   text[];
    v_kinds    json;  -- columns of the written table
    v_changes  text;
    v_problem  text;
    v_same     text;
    v_times    timestamptz[];
    v_horizon  timestamptz;
    v_now      timestamptz := clock_timestamp();
    v_named    text[] := coalesce(string_to_array(nullif(p_evidence, ''), ','), '{}');
    v_by_hand  boolean;
    v_due      boolean;
    v_exact    numeric;
    v_id       text := {{.ID}};
    v_charge   text := {{.Charge}};
    v_key      text := {{.Key}};
    v_provider text := {{.Provider}};
    v_account  text := {{.Account}};
    v_currency text := {{.Currency}};
    v_amount   bigint;
    {{- range .Parameters}}
    q_{{.}} text;
    {{- end}}
BEGIN
    -- 1. What was announced, and is allowed at all. What was shown to whoever
    -- confirmed is what stands here.
    IF p_configuration IS DISTINCT FROM '{{.Hash}}' THEN
        RAISE EXCEPTION 'the function was made from another configuration than this one: apply `desfecho schema --roles` again' USING ERRCODE = 'DF009';
    END IF;
    SELECT * INTO i FROM desfecho.intents x WHERE x.op_id = p_op;
    IF NOT FOUND OR i.attempt <> v_id OR i.login <> session_user THEN
        RAISE EXCEPTION 'no intent of this login announces operation %', p_op USING ERRCODE = 'DF001';
    END IF;
    SELECT t.word INTO v_status FROM (VALUES {{.Marks}}) t (mark, transition, word, from_words)
        WHERE t.mark = i.mark AND t.transition = p_transition AND v_word = ANY (t.from_words);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'from % to % (%) is no write that desfecho makes, or its transition is not declared', v_word, i.mark, p_transition
            USING ERRCODE = 'DF002';
    END IF;
    SELECT * INTO p FROM (VALUES {{.Policies}}) x (provider, orphan_after, visible_after, visible_after_5xx, skew, recheck_gap, evidence_max_age)
        WHERE x.provider = v_provider;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no provider % is configured', v_provider USING ERRCODE = 'DF002';
    END IF;
    v_after := CASE WHEN i.mark = 'succeeded' AND p_unit <> '' THEN p_unit ELSE v_before END;
    IF v_before NOT IN ('', v_after) OR i.mark <> 'succeeded' AND p_unit NOT IN ('', v_before) THEN
        RAISE EXCEPTION 'object % is not the one that the attempt names', p_unit USING ERRCODE = 'DF002';
    END IF;
    v_exact := ({{.Amount}})::numeric * {{.Scale}};
    IF v_exact <> trunc(v_exact) THEN
        RAISE EXCEPTION 'the amount % has too many decimals', v_exact USING ERRCODE = 'DF002';
    END IF;
    v_amount := abs(v_exact)::bigint;
    {{- range $name, $value := .Values}}
    q_{{$name}} := '(' || quote_nullable(nullif({{$value}}, '')) || ')';
    {{- end}}

    -- 2. The user's own locks, and the rows as they stand: as they were seen. Of
    -- the charge's other attempts id, word and object; what settles one of them
    -- just now is waited for.
    {{- range .Locks}}
    EXECUTE {{.}};
    {{- end}}
    {{- if .Siblings}}
    IF cardinality(p_siblings) > 0 AND (SELECT x.relkind IN ('r', 'p') FROM pg_class x WHERE x.oid = {{.TableName}}::regclass) THEN
        EXECUTE {{.LockRows}};
    END IF;
    IF v_charge <> '' THEN
        EXECUTE {{.Siblings}} INTO v_stands;
    END IF;
    IF v_stands IS DISTINCT FROM nullif(p_siblings, '{}') THEN
        RAISE EXCEPTION 'another attempt of the charge is not as it was seen' USING ERRCODE = 'DF010';
    END IF;
    {{- end}}
    EXECUTE {{.Select}} || quote_literal(v_id) INTO v_stands;
    IF v_stands IS DISTINCT FROM p_row THEN
        RAISE EXCEPTION 'the row is not the one that was seen' USING ERRCODE = 'DF003';
    END IF;
    SELECT array_agg(CASE WHEN t ~ '^\d{10}$' THEN to_timestamp(t::bigint) WHEN t ~ '^\d{13}$' THEN to_timestamp(t::bigint / 1e3)
            WHEN t ~ '^\d{16}$' THEN to_timestamp(t::bigint / 1e6) WHEN t ~ ':\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)$' THEN t::timestamptz
            ELSE t::timestamp AT TIME ZONE {{.Zone}} END ORDER BY o) INTO v_times
        FROM unnest(ARRAY[{{.Created}}, {{.Updated}}, {{.LastSent}}]) WITH ORDINALITY u (t, o);
    v_horizon := coalesce(v_times[3], greatest(v_times[1], v_times[2])) + p.skew
        + CASE WHEN {{.ServerError}} THEN greatest(p.visible_after, p.visible_after_5xx) ELSE p.visible_after END;
    IF v_word = ANY ({{.PendingWords}}) AND v_times[1] + p.orphan_after > v_now THEN
        RAISE EXCEPTION 'its call may still be running until %', v_times[1] + p.orphan_after USING ERRCODE = 'DF002';
    END IF;

    -- 3. What it rests on.
    SELECT h INTO v_problem FROM unnest(v_named) h
        WHERE NOT EXISTS (SELECT FROM desfecho.lookups x WHERE x.attempt = v_id AND x.canonical = h)
        AND NOT EXISTS (SELECT FROM desfecho.manual_evidence x WHERE x.attempt = v_id AND 'manual:' || x.op_id = h) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'no observation of this attempt has the hash %', v_problem USING ERRCODE = 'DF006';
    END IF;
    {{- if .Holder}}
    IF i.mark = 'succeeded' AND v_after <> '' THEN
        {{.Holder}};
        IF FOUND THEN
            RAISE EXCEPTION 'attempt % holds object %', v_problem, v_after USING ERRCODE = 'DF008', DETAIL = v_problem;
        END IF;
    END IF;
    {{- end}}
    -- Of each look-up: what its units say that stand on no other attempt. nth = 1
    -- is the last answer to its question.
    WITH told AS (
        SELECT l.observed_at, x.*, l.canonical = ANY (v_named) AND l.observed_at > v_now - p.evidence_max_age AS fresh,
            NOT l.no_control AND (l.outcome = 'not_found' OR l.outcome = 'found' AND x.units > 0) AND NOT x.lives AS no,
            row_number() OVER (PARTITION BY l.account, l.key_kind, l.key_name, l.key_value ORDER BY l.observed_at DESC, l.lookup DESC) AS nth
        FROM desfecho.lookups l CROSS JOIN LATERAL (
            SELECT count(*) AS units, coalesce(bool_or(own AND state IN {{.Money}}), false) AS money,
                coalesce(bool_or(own AND NOT (state IN {{.Dead}} AND final)), false) AS lives,
                coalesce(bool_or(own AND state IN {{.Dead}} AND final), false) AS ended,
                coalesce(bool_or(own AND state NOT IN {{.Dead}} AND state <> {{.Unmapped}}
                    AND (id = v_after OR jsonb_exists(aliases, v_after))), false) AS this
            FROM (SELECT u ->> 'ID' AS id, (u ->> 'State')::int AS state, (u ->> 'Final')::boolean AS final,
                    CASE jsonb_typeof(u -> 'Aliases') WHEN 'array' THEN u -> 'Aliases' ELSE '[]' END AS aliases,
                    NOT {{.Held}} AS own
                FROM jsonb_array_elements(CASE json_typeof(l.units) WHEN 'array' THEN l.units::jsonb ELSE '[]' END) u) o
        ) x WHERE l.attempt = v_id AND l.provider IN ('', v_provider) AND l.observed_at <= v_now + p.skew)
    SELECT coalesce(bool_or(fresh), false) AS fresh, coalesce(bool_or(money), false) AS money,
        coalesce(bool_or(lives AND nth = 1), false) AS lives, coalesce(bool_or(fresh AND this AND nth = 1), false) AS shown,
        coalesce(bool_or(fresh AND ended AND no AND nth = 1), false) AS ended,
        count(*) FILTER (WHERE no AND observed_at >= v_horizon) AS noes,
        coalesce(max(observed_at) FILTER (WHERE no AND observed_at >= v_horizon) - min(observed_at) FILTER (WHERE no AND observed_at >= v_horizon)
            >= p.recheck_gap AND bool_or(no AND fresh AND observed_at >= v_horizon), false) AS absent
        INTO s FROM told;
    v_by_hand := EXISTS (SELECT FROM desfecho.manual_evidence x WHERE x.attempt = v_id AND 'manual:' || x.op_id = ANY (v_named)
        AND CASE i.mark WHEN 'succeeded' THEN x.seen = 'captured' ELSE x.seen = 'declined' OR x.seen = 'absent' AND x.observed_at >= v_horizon END);
    v_problem := CASE
        WHEN i.mark = 'unknown' THEN NULL
        WHEN i.mark = 'failed' AND s.money THEN 'a look-up shows money'
        WHEN i.mark = 'failed' AND s.lives THEN 'the last look-up shows an object that has not ended'
        WHEN i.mark = 'failed' AND NOT (s.ended OR s.noes >= 2 AND s.absent OR v_by_hand) THEN format(
            'want two look-ups without it after %s, %s apart, the last one younger than %s; there are %s after that', v_horizon, p.recheck_gap, p.evidence_max_age, s.noes)
        WHEN i.mark = 'succeeded' AND NOT (s.shown OR v_by_hand
            OR EXISTS (SELECT FROM desfecho.lines x WHERE x.provider = v_provider AND x.unit = v_after AND x.kind = 'charge' AND NOT x.still))
            THEN format('no look-up younger than %s shows object %s', p.evidence_max_age, v_after)
    END;
    IF v_problem IS NOT NULL THEN
        RAISE EXCEPTION '%', v_problem USING ERRCODE = 'DF006';
    END IF;
    v_by_hand := v_by_hand AND NOT CASE i.mark WHEN 'succeeded' THEN s.shown ELSE s.ended OR s.noes >= 2 AND s.absent END;
    v_due := i.mark <> 'unknown' AND ({{.Above}} OR v_by_hand OR i.mark = 'succeeded' AND NOT s.shown
        OR i.mark = 'failed' AND NOT s.ended AND {{.Outflow}});
    IF v_due AND NOT EXISTS (SELECT FROM desfecho.approvals x WHERE x.attempt = v_id AND x.digest = i.digest AND x.mark = i.mark
            AND x.login <> session_user AND x.approved_at > v_now - {{.ApprovalTTL}}
            AND NOT (v_by_hand AND EXISTS (SELECT FROM desfecho.manual_evidence m WHERE m.attempt = v_id AND m.login = x.login))) THEN
        RAISE EXCEPTION 'a second person has to approve this, by another login' USING ERRCODE = 'DF007';
    END IF;

    -- 4. The conditional update.
    SELECT json_object_agg(a.attname, format_type(a.atttypid, NULL)) INTO v_kinds FROM pg_attribute a
        WHERE a.attrelid = {{.TableName}}::regclass AND a.attnum > 0 AND NOT a.attisdropped;
    SELECT string_agg(format('%I = %s', c.name, CASE c.what WHEN 'now' THEN CASE v_kinds ->> c.name
            WHEN 'timestamp without time zone' THEN 'clock_timestamp() AT TIME ZONE ' || quote_literal({{.Zone}}) ELSE 'clock_timestamp()' END
            ELSE quote_literal(c.what) END), ', ') INTO v_changes
        FROM (VALUES {{.Changes}}) c (name, what) WHERE c.what IS NOT NULL AND v_kinds ->> c.name IS NOT NULL;
    {{- range .AlsoSet}}
    IF p_transition = {{.To}} THEN v_changes := v_changes{{range .Set}} || {{.}}{{end}}; END IF;
    {{- end}}
    SELECT string_agg(format(' AND %I::text IS NOT DISTINCT FROM %L', c.name, p_row[c.nth]), '') INTO v_same
        FROM unnest({{.Columns}}) WITH ORDINALITY c (name, nth) WHERE v_kinds ->> c.name IS NOT NULL;
    EXECUTE {{.Update}} || v_changes || {{.Where}} || quote_literal(v_id) || v_same
        || CASE WHEN p_version ~ '^\d+$' AND {{.ByRow}} THEN ' AND xmin::text = ' || quote_literal(p_version) ELSE '' END;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> 1 THEN
        RAISE EXCEPTION 'the update reached % rows', n USING ERRCODE = 'DF004';
    END IF;

    -- 5. What belongs to the transition.
    {{- range .Steps}}
    IF p_transition = {{.To}} THEN
        EXECUTE {{.SQL}};
        GET DIAGNOSTICS n = ROW_COUNT;
        IF n <> 1{{if .Optional}} AND n <> 0{{end}} THEN
            RAISE EXCEPTION 'follow-up {{.Number}} touched % rows', n USING ERRCODE = 'DF005', DETAIL = format('{{.Number}} %s', n);
        END IF;
    END IF;
    {{- end}}

    -- 6. The entry, last, under its lock: what the holder committed must be seen.
    PERFORM pg_advisory_xact_lock({{.AuditLock}});
    SELECT coalesce(max(x.seq), 0) + 1 INTO e.seq FROM desfecho.audit x;
    SELECT coalesce((SELECT x.hash FROM desfecho.audit x ORDER BY x.seq DESC LIMIT 1), '') INTO e.prev_hash;
    e.format := {{.Format}}; e.op_id := p_op; e.kind := 'settled'; e.at := clock_timestamp(); e.attempt := v_id; e.provider := v_provider;
    e.account := v_account; e.mark := i.mark; e.transition := p_transition; e.unit := p_unit; e.amount := v_amount; e.currency := v_currency;
    e.before := v_word || ' ' || v_before; e.after := v_status || ' ' || v_after; e.digest := i.digest; e.evidence := p_evidence; e.reason := p_reason;
    e.operator := i.operator; e.login := session_user; e.program := p_program;
    SELECT encode(sha256(convert_to(string_agg(octet_length(convert_to(f, 'UTF8')) || ':' || f, '' ORDER BY o), 'UTF8')), 'hex') INTO e.hash
        FROM unnest(ARRAY[e.format::text, e.seq::text, e.op_id, e.kind, (extract(epoch FROM e.at) * 1000000)::bigint::text, e.attempt, e.provider,
            e.account, e.mark, e.transition, e.unit, e.amount::text, e.currency, e.before, e.after, e.digest, e.evidence, e.reason, e.operator,
            e.login, e.program, e.prev_hash]) WITH ORDINALITY u (f, o);
    INSERT INTO desfecho.audit SELECT e.*;
    RETURN e;
END
