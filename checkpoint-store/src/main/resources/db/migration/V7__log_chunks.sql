-- The chunks of runs' logs whose uploads were acknowledged. A chunk's lines are those of one epoch, from first_line on without a gap; the
-- object is named by the same columns, and its end has the index, so that the rows can be made again from the objects.
CREATE TABLE store.log_chunk (
  run text COLLATE "C" NOT NULL,
  epoch integer NOT NULL,
  first_line bigint NOT NULL,            -- from 1
  lines bigint NOT NULL,                 -- 0: it only says that the epoch's log has ended
  project text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,                 -- SHA-256 of the object
  size_bytes bigint NOT NULL,            -- of the object
  first_micros bigint NOT NULL,          -- since 1970; 0 without lines
  last_micros bigint NOT NULL,
  last boolean NOT NULL,                 -- the epoch has no more
  index bytea NOT NULL,                  -- JSON, as it is at the object's end
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run, epoch, first_line)
);
