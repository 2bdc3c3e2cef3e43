-- Runs that begin with a cut of another.
CREATE TABLE store.fork (
  run text COLLATE "C" PRIMARY KEY,
  project text COLLATE "C" NOT NULL,
  parent text COLLATE "C" NOT NULL,
  position bigint NOT NULL,             -- of the parent's last event that is a part of it; 0: it begins where the parent did
  step text COLLATE "C",                -- within which the cut is; null: of the whole run
  inside text,                          -- the cut as JSON where it is none between two steps
  checkpoint text COLLATE "C",          -- the parent's that was asked for
  copies jsonb NOT NULL,                -- of the parent's checkpoints, each as a checkpoint of this run
  state bytea,                          -- the state it begins with, once that was folded: then the parent is needed no more
  made_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX fork_that_needs_parent ON store.fork (parent) WHERE state IS NULL;
CREATE INDEX fork_by_age ON store.fork (made_at);

CREATE INDEX cut_by_checkpoint ON store.cut (checkpoint);

-- A fork has checkpoints of its own, and holds none of its parent's.
DROP TABLE store.checkpoint_hold;
