-- What was asked, what came (masked, and purged by date), and the hashes that a
-- settlement names as its evidence.
ALTER TABLE desfecho.lookups ADD COLUMN endpoint text NOT NULL DEFAULT '';
ALTER TABLE desfecho.lookups ADD COLUMN canonical text NOT NULL DEFAULT '';
ALTER TABLE desfecho.lookups ADD COLUMN raw_hash text NOT NULL DEFAULT '';
ALTER TABLE desfecho.lookups ADD COLUMN raw text NOT NULL DEFAULT '';
