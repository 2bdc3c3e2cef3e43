-- A run that is paused without a runner has no run_paused. The former index stays for replicas of the version before.
CREATE INDEX event_to_archive_or_paused ON store.event (run, position)
WHERE type IN ('dev.baton.run_completed', 'dev.baton.run_failed', 'dev.baton.run_cancelled', 'dev.baton.run_lost',
  'dev.baton.run_paused', 'dev.baton.approval_requested', 'dev.baton.checkpoint_waiting', 'dev.baton.pause_requested');
