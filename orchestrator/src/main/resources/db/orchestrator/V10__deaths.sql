-- How many runners of the run have died one after the other in the same step visit without progress, and the steps that all of them
-- were in (a JSON list); null where none is known to have died.
ALTER TABLE orchestrator.run ADD COLUMN deaths integer NOT NULL DEFAULT 0, ADD COLUMN died_in text;
