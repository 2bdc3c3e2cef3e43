-- The resources of a Kubernetes cluster for which runs were started.
-- on_delete: what the deletion of the resource does to the run. released_at: when the resource was seen to be deleted.
CREATE TABLE orchestrator.run_resource (
  uid text PRIMARY KEY,
  run text NOT NULL,
  namespace text NOT NULL,
  name text NOT NULL,
  on_delete text NOT NULL CHECK (on_delete IN ('cancel', 'orphan')),
  released_at timestamptz);
CREATE INDEX run_resource_namespace ON orchestrator.run_resource (namespace) WHERE released_at IS NULL;
CREATE INDEX run_resource_run ON orchestrator.run_resource (run);
