-- The partition of baton.trace in which all events of a run are: that of its run_created.
CREATE TABLE store.run_home (
  run text COLLATE "C" PRIMARY KEY,
  partition integer NOT NULL
);

INSERT INTO store.run_home (run, partition)
SELECT run, partition FROM store.event WHERE lane = 0 AND seq = 1 AND type = 'dev.baton.run_created';
