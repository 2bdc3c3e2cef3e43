-- A run that is being deleted cannot be resumed: its files may be gone before its rows are.
ALTER TABLE orchestrator.run ADD COLUMN deleting boolean NOT NULL DEFAULT false;
