-- The newest epoch that nothing can keep from the log: the first, and that of each resume. One that a failover has decided may never count, since
-- the run's end may already be on the log; so nobody is told of it before it was read.
ALTER TABLE orchestrator.run ADD COLUMN certain_epoch integer NOT NULL DEFAULT 1;
