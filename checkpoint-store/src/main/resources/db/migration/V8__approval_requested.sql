-- The event checkpoint_waiting is approval_requested now; stored events keep the name under which they were stored.
DROP INDEX store.event_to_archive;

CREATE INDEX event_to_archive ON store.event (run, position)
WHERE type IN ('dev.baton.run_completed', 'dev.baton.run_failed', 'dev.baton.run_cancelled', 'dev.baton.run_lost',
  'dev.baton.run_paused', 'dev.baton.approval_requested', 'dev.baton.checkpoint_waiting');
