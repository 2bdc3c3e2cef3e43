-- Runs that a runner may carry in their current epoch. RunRow.wantsRunner is the same predicate in Java.
CREATE VIEW orchestrator.run_wanting_runner AS
  SELECT r.id, r.epoch, r.started_epoch, r.runner_id, r.assigned_at
  FROM orchestrator.run r
  WHERE NOT r.ended AND r.desired = 'running' AND r.kind = 'managed' AND r.status <> 'paused' AND r.queued_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM orchestrator.parked p WHERE p.run = r.id AND p.epoch = r.epoch);
