-- The partition of baton.trace in which all events of the run are. Null for a run of an earlier version until its next event is read.
ALTER TABLE orchestrator.run ADD COLUMN home_partition integer;
