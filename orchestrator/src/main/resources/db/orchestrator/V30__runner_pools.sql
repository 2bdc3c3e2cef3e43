-- Pools of runners that resources of a Kubernetes cluster describe.
-- definition: the spec as JSON. refusal: of the last start, by the replica refused_by. removed_at: when the resource was
-- seen to be deleted; the row stays until the last runner of the pool has ended.
CREATE TABLE orchestrator.runner_pool (
  launcher text NOT NULL,
  name text NOT NULL,
  uid text NOT NULL,
  namespace text NOT NULL,
  definition text NOT NULL,
  refusal_reason text,
  refusal_detail text,
  refused_by text,
  removed_at timestamptz,
  PRIMARY KEY (launcher, name));
CREATE INDEX runner_pool_uid ON orchestrator.runner_pool (uid);
