-- Which decision of a person a note ends, where it lapsed. What was decided is
-- only added to: who, when and by which login stays.
ALTER TABLE desfecho.notes ADD COLUMN ends bigint NOT NULL DEFAULT 0;
CREATE TRIGGER notes_append_only BEFORE UPDATE OR DELETE ON desfecho.notes FOR EACH ROW EXECUTE FUNCTION desfecho.refuse_change();
CREATE TRIGGER notes_not_emptied BEFORE TRUNCATE ON desfecho.notes FOR EACH STATEMENT EXECUTE FUNCTION desfecho.refuse_change();
