-- A fold must know all run_degraded events of a run in advance: each restores the state after an earlier event.
CREATE INDEX event_degraded ON store.event (run, position) WHERE type = 'dev.baton.run_degraded';
