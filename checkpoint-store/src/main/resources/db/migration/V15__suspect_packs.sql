-- Set when a runner could not restore a checkpoint with the pack, until the pack has been verified again or stored again. Until then
-- its chunks are not found, so that a repeated step uploads them instead of referring to the damaged pack.
ALTER TABLE store.pack ADD COLUMN suspect_at timestamptz;
