-- A launched runner: which launcher started it, in which pool, and the handle by which that launcher finds it again. Rows of the
-- version before have the handle of a process in pid and started_at_ms.
ALTER TABLE orchestrator.runner
  ADD COLUMN launcher text NOT NULL DEFAULT 'process',
  ADD COLUMN pool text NOT NULL DEFAULT 'default',
  ADD COLUMN handle text,
  ADD COLUMN phase text,
  ADD COLUMN phase_at timestamptz,
  ADD COLUMN reason text;

-- A run whose launch found no room: the launcher, its pool when the pool is full, the limit, why, what the launcher reported, and
-- since when. Valid for this epoch while the run has no runner.
ALTER TABLE orchestrator.run
  ADD COLUMN awaits_launcher text,
  ADD COLUMN awaits_pool text,
  ADD COLUMN awaits_limit int,
  ADD COLUMN awaits_reason text,
  ADD COLUMN awaits_detail text,
  ADD COLUMN awaits_epoch int,
  ADD COLUMN awaits_since timestamptz;

CREATE INDEX run_awaits_launcher ON orchestrator.run (awaits_launcher, priority DESC, awaits_since, id)
  WHERE awaits_launcher IS NOT NULL AND NOT ended;
