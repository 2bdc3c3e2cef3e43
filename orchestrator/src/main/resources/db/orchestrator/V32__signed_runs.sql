-- Whether the control events of a run are signed. False for runs that began on the log or before this version, and for those
-- that were created while an orchestrator of an earlier version, which does not sign, was live.
ALTER TABLE orchestrator.run ADD COLUMN signed boolean NOT NULL DEFAULT false;
