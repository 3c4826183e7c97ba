-- What was asked, what came (masked, and purged by date), and the hashes that a
-- settlement names as its evidence.
ALTER TABLE desfecho_lookups ADD COLUMN endpoint TEXT NOT NULL DEFAULT '';
ALTER TABLE desfecho_lookups ADD COLUMN canonical TEXT NOT NULL DEFAULT '';
ALTER TABLE desfecho_lookups ADD COLUMN raw_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE desfecho_lookups ADD COLUMN raw TEXT NOT NULL DEFAULT '';
