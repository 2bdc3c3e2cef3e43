-- Calls of the API that change something, or were refused. A changing call is inserted before it runs, without an outcome, and
-- completed before it is answered. count: of refused calls that share a row. published: whether baton.audit has it.
CREATE TABLE orchestrator.audit (
  id text PRIMARY KEY,
  began_at timestamptz NOT NULL,
  caller text,
  key text,
  roles text NOT NULL,
  peer text,
  operation text NOT NULL,
  projects text[] NOT NULL,
  runs text[] NOT NULL,
  target text,
  outcome text,
  status text,
  problem text,
  count int NOT NULL,
  published boolean NOT NULL DEFAULT false);
CREATE INDEX audit_unpublished ON orchestrator.audit (id) WHERE NOT published;
CREATE INDEX audit_runs ON orchestrator.audit USING gin (runs);
