package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"desfecho/internal/store"
)

// TestNotesAreOnlyAddedTo: no note is changed or taken away by mistake.
func TestNotesAreOnlyAddedTo(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{URL: "sqlite://" + filepath.Join(t.TempDir(), "notes.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Note(t.Context(), store.Note{Divergence: "d1", Kind: store.NoteText, Operator: "bia"}); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE desfecho_notes SET operator = 'ana'", "DELETE FROM desfecho_notes"} {
		err := s.write(t.Context(), "change", func(tx *transaction) error { _, err := tx.exec(t.Context(), change); return err })
		if err == nil || !strings.Contains(err.Error(), "desfecho_notes is only added to") {
			t.Errorf("%s: %v", change, err)
		}
	}
}
