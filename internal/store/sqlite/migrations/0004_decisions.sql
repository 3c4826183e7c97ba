-- Which decision of a person a note ends, where it lapsed. What was decided is
-- only added to: who and when stays.
ALTER TABLE desfecho_notes ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER desfecho_notes_not_changed BEFORE UPDATE ON desfecho_notes BEGIN SELECT RAISE(ABORT, 'desfecho_notes is only added to'); END;
CREATE TRIGGER desfecho_notes_not_deleted BEFORE DELETE ON desfecho_notes BEGIN SELECT RAISE(ABORT, 'desfecho_notes is only added to'); END;
