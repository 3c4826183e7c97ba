package store

// column asks for attempts with that value, where the table has such a column.
func (g *gathering) column(key AttemptKey, value string) {
	if _, ok := g.reading.Key(key); !ok {
		return
	}
	if value, ok := g.reading.here(key, value); ok {
		w := g.columns[key]
		if w == nil {
			w = &wanted[string]{}
			g.columns[key] = w
		}
		w.add(value)
	}
}

// Key is the column that attempts are looked for by, as Selected names it; ok
// is false where the table has none.
func (r *Reading) Key(key AttemptKey) (column string, ok bool) {
	at := -1
	switch key.Kind {
	case ByID:
		at = r.at.id
	case ByCharge:
		at = r.at.charge
	case ByIdempotencyKey:
		at = r.at.key
	case ByProviderID:
		at = r.at.providerID
	case ByReference:
		at = r.references[key.Reference].column
	}
	if at < 0 {
		return "", false
	}
	return r.selected[at], true
}

// here turns a reference's value into that of its column: what its template
// adds is taken away. ok is false where no row can have made the value.
func (r *Reading) here(key AttemptKey, value string) (string, bool) {
	if key.Kind != ByReference {
		return value, true
	}
	ref := &r.references[key.Reference]
	if len(value) <= len(ref.prefix)+len(ref.suffix) || value[:len(ref.prefix)] != ref.prefix ||
		value[len(value)-len(ref.suffix):] != ref.suffix {
		return "", false
	}
	return value[len(ref.prefix) : len(value)-len(ref.suffix)], true
}
