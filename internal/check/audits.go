package check

// Audits lists every audit in the order of the report.
func Audits() []Audit {
	all := append([]Audit{}, tableAudits()...)
	all = append(all, attemptAudits()...)
	all = append(all, sideAudits()...)
	return append(all, serverAudits()...)
}

func tableAudits() []Audit {
	return []Audit{
		{"description", "Is everything described really there, and can its rows be read?", "correct the description, or the row that it names; `desfecho init` proposes a description", (*look).description},
		{"unique_key", "Does an index make the idempotency key unique?", "add a unique index on the key, alone or with the provider", (*look).uniqueKey},
		{"open_index", "Does an index forbid two open attempts of one charge?", "add a unique index on the charge, partial: WHERE the status is one of the words that you map to pending and unknown", (*look).openIndex},
		{"unique_provider_id", "Does an index keep one provider object from two attempts?", "add a unique index on the provider's id, alone or with the provider", (*look).uniqueProviderID},
		{"status_words", "Is every status word mapped?", "add the word to one of the four lists of attempts.status; rows of a word in no list are never judged", (*look).statusWords},
		{"provider_words", "Is every provider that attempts name configured?", "add the provider under providers, by the word that stands in your table; attempts of any other are never judged", (*look).providerWords},
		{"joined_rows", "Does each join give one row for an attempt?", "join on a column that is unique, or read a view that gives one row for each attempt", (*look).joinedRows},
	}
}

func attemptAudits() []Audit {
	return []Audit{
		{"two_open_attempts", "Has a charge two open attempts?", "settle both before anything is sent again, and add the index that open_index asks for", (*look).twoOpen},
		{"several_succeeded", "Was a charge paid, or a transfer sent, by several attempts?", "compare with the provider (`desfecho reconcile`); where the customer paid twice, finance returns the surplus", (*look).severalSucceeded},
		{"key_reused", "Was a key used with two different payloads?", "store what was sent beside the key and send exactly that again; make a new key for a new payload", (*look).keyReused},
		{"key_from_order", "Is the key random, and free of personal data?", "make the key a random UUID for each attempt: one made from the order meets its own stored refusal, and charges again once the provider forgets it", (*look).keyFromOrder},
		{"key_per_call", "Did every call of an attempt carry the stored key?", "make the key once, store it with the attempt, and send the same one at every try", (*look).keyPerCall},
		{"resend_after_retention", "Was an attempt sent again when the provider had forgotten its key?", "never send again after the retention less ten minutes: ask the provider for the outcome instead", (*look).resent},
		{"failed_on_doubt", "Was a timeout, a reset, a 5xx, a 409 or a 429 taken for a no?", "record those as unknown and ask the provider later; compare these rows with its statement now (`desfecho reconcile`)", (*look).failedOnDoubt},
		{"failed_too_early", "Was an attempt failed before the provider had to show it?", "wait for visible_after before absence counts; keep the reason of every failure in last_error", (*look).failedTooEarly},
		{"reopened", "Did a final status change back?", "let no statement write an attempt whose status is final; a second try is a row of its own", (*look).reopened},
		{"finals_incomplete", "Has every final attempt its time, and every success its provider id?", "write resolved_at with every final status, and the provider's id with every success", (*look).finalsIncomplete},
		{"orphans", "Are pending attempts older than any call can last?", "run a job that makes pending attempts unknown after orphan_after, and asks the provider about them", (*look).orphans},
		{"missing_charge", "Has every attempt its charge, and every join its row?", "find out who deletes charges; a foreign key would refuse it", (*look).missingCharge},
		{"reserve_freed", "Was money set aside for an outflow freed before it had failed?", "free a reserve only together with the transition to failed", (*look).reserveFreed},
		{"read_timeout", "Is the read timeout longer than the provider needs?", "raise the caller's read timeout: the provider carries these out within a minute, and the caller gave up before", (*look).readTimeout},
	}
}

func sideAudits() []Audit {
	return []Audit{
		{"events_unique", "Does an index make a webhook event unique by provider and id?", "add a unique index on provider and event id, and insert before anything is done", (*look).eventsUnique},
		{"events_stale", "Do stored events wait for too long?", "run a sweeper that takes up events left pending", (*look).eventsStale},
		{"events_unsettled", "Was an event processed and its attempt left open?", "let one transaction process the event and move the attempt", (*look).eventsUnsettled},
		{"double_credit", "Was one charge credited twice?", "tie the credit to the charge's transition, with a key made from the charge", (*look).doubleCredit},
		{"credit_without_payment", "Was a charge credited that no attempt paid?", "compare with the provider's statement; take the credit back or correct the attempt by its owner", (*look).creditWithoutPayment},
		{"credit_key", "Has a ledger entry a unique key of its own?", "give entries a key made from what they book, and a unique index on it", (*look).creditKey},
		{"zone_offset", "Are times without zone written in the declared zone?", "correct attempts.timezone; no mark is offered while this stands", (*look).zoneOffset},
		{"link_rate", "Do the provider's lines carry a reference that is stored here?", "send the reference with every request, or describe the column that holds what the lines carry", (*look).linkRate},
	}
}

func serverAudits() []Audit {
	return []Audit{
		{"grants", "May this database role do no more than it needs?", "use the roles of `desfecho schema --roles`", (*look).grants},
		{"write_function", "Is the function that writes the one that this configuration makes?", "apply `desfecho schema --roles` again, after every change of the configuration", (*look).writeFunction},
		{"status_guard", "Does the database itself keep a final status final?", "`desfecho schema --roles --guard` makes a trigger that does", (*look).statusGuard},
		{"row_security", "Can this role see every row?", "give the role BYPASSRLS or a policy that shows all rows: absence is claimed only where everything is seen", (*look).rowSecurity},
		{"window_index", "Does an index serve a window of created_at?", "add an index on created_at (CREATE INDEX CONCURRENTLY)", (*look).windowIndex},
		{"reference_index", "Does an index serve the look for a reference or provider id?", "add an index on each column named", (*look).referenceIndex},
		{"clock", "Do this machine and the database tell the same time?", "set the clocks by NTP; ages are counted by the database's", (*look).clock},
		{"replica_lag", "Is what is read up to date?", "compare on the primary, or wait: what was not replayed yet is not judged", (*look).replicaLag},
		{"own_size", "How large are desfecho's own tables?", "give the disk room: lines and units are kept, for whatever is compared rests on them", (*look).ownSize},
		{"provider_key", "Can the provider's key do more than read?", "use a key that may only read: desfecho sends nothing but GET", (*look).providerKey},
	}
}
