-- Signals of lost runners that could not be handled when they were read. Their records are acknowledged, so that the signals of other runs
-- are read; these are handled again when they are due. At most one row for each run and kind, and at most 16 KiB of data in each.
CREATE TABLE orchestrator.deferred_signal (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  epoch integer NOT NULL,
  data text NOT NULL,
  published_at timestamptz NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  UNIQUE (run, kind)
);
CREATE INDEX deferred_signal_due ON orchestrator.deferred_signal (due_at);
