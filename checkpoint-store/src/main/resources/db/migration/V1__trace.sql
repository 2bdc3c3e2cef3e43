-- The trace, whole. One row an event; a run's rows in the order of `position`.
--
-- data is bytea, not jsonb: it keeps the bytes as they came (unknown fields, their order, numbers as written), accepts every valid JSON
-- text (jsonb has no \u0000), and costs no parsing at the insert. The view event_json is for people.
CREATE TABLE store.event (
  run text COLLATE "C" NOT NULL,
  lane integer NOT NULL,          -- 0: the control lane; otherwise the epoch
  seq bigint NOT NULL,            -- within the lane
  partition integer NOT NULL,     -- of baton.trace
  position bigint NOT NULL,       -- the log's offset + 1: strictly rising within a run, since a run is in one partition
  type text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  time_micros bigint,             -- since the epoch; for people only
  lease text COLLATE "C",
  data bytea NOT NULL,
  PRIMARY KEY (run, lane, seq)
);

CREATE INDEX event_in_log_order ON store.event (run, position);

CREATE VIEW store.event_json AS
SELECT run, lane, seq, partition, position, type, source,
       to_timestamp(time_micros / 1e6) AS time, convert_from(data, 'UTF8')::json AS data
FROM store.event;

-- How far the consumer is. Moves in the same transaction as the rows, by compare and set.
CREATE TABLE store.consumer_position (
  topic text COLLATE "C" NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  PRIMARY KEY (topic, partition)
) WITH (fillfactor = 50);

-- The workspace cuts that events carry.
CREATE TABLE store.cut (
  run text COLLATE "C" NOT NULL,
  lane integer NOT NULL,
  seq bigint NOT NULL,
  position bigint NOT NULL,
  step text COLLATE "C" NOT NULL, -- empty: of the whole run
  digest text COLLATE "C" NOT NULL,
  format text COLLATE "C" NOT NULL,
  tree_bytes bigint NOT NULL,
  stored_bytes bigint NOT NULL,
  file_count bigint NOT NULL,
  time_micros bigint NOT NULL,
  PRIMARY KEY (run, lane, seq)
);

-- Every object for which an upload was ever allowed. The row is there before the URL is given out, so the bucket never holds an object
-- that this table does not know.
CREATE TABLE store.object (
  key text COLLATE "C" PRIMARY KEY,
  project text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  size_bytes bigint NOT NULL,
  first_run text COLLATE "C" NOT NULL,
  asked_at timestamptz NOT NULL
);
