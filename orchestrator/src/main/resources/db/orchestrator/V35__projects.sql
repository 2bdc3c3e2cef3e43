-- Projects that were created, with their limits; null: none. rate: new runs per second; tokens: how many may begin now, of the
-- moment refilled_at. Negative after a batch. stored_bytes: what checkpoint-stores measured last, at the request of measured_at.
CREATE TABLE orchestrator.project (
  name text PRIMARY KEY,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  runs int,
  waiting int,
  rate double precision,
  tokens double precision NOT NULL DEFAULT 1,
  refilled_at timestamptz NOT NULL DEFAULT now(),
  storage_bytes bigint,
  stored_bytes bigint,
  measured_at timestamptz);
