-- The git archive: what of each run is in it.
--
--   (no row) ──archived──> kept ──deleted──> erased
--       └──found in the archive──> hydrating ──its events are stored──> kept
--
-- An erased run's row stays, so that a ref which comes back (somebody fetches an old copy) does not bring the run back.
CREATE TABLE store.archive (
  run text COLLATE "C" PRIMARY KEY,
  state smallint NOT NULL,               -- 0 kept, 1 hydrating, 2 erased
  position bigint NOT NULL DEFAULT 0,    -- of the last event that was archived
  attempts integer NOT NULL DEFAULT 0,   -- that failed since one succeeded
  owed boolean NOT NULL DEFAULT false    -- erased, while its objects are still in the repository
);

CREATE INDEX archive_failed ON store.archive (run) WHERE attempts > 0;
CREATE INDEX archive_owed ON store.archive (run) WHERE owed;

-- What is to be archived is found by it, whatever was lost with a process.
CREATE INDEX event_to_archive ON store.event (run, position)
WHERE type IN ('dev.baton.run_completed', 'dev.baton.run_failed', 'dev.baton.run_cancelled', 'dev.baton.run_lost',
  'dev.baton.run_paused', 'dev.baton.checkpoint_waiting');
