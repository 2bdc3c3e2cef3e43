-- Snapshots: chunks in packs, and the checkpoints that need them.

-- The cuts that have a manifest name it.
ALTER TABLE store.cut ADD COLUMN checkpoint text COLLATE "C";

-- Two runs may share a blob: it goes with the last of them.
CREATE TABLE store.object_use (
  run text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  PRIMARY KEY (run, key)
);

CREATE INDEX users_of_object ON store.object_use (key);

INSERT INTO store.object_use (run, key) SELECT first_run, key FROM store.object;

-- Projects by number: it is in every row of a chunk.
CREATE TABLE store.project (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE
);

-- Every pack for which an upload was ever allowed, until it is deleted.
--
--   uploading ──registered──> live ──unreferenced and untouched for the grace period──> doomed ──object deleted──> (no row)
--       └──────────────────────────untouched for the grace period───────────────────────────^
--
-- A doomed pack never comes back to life: its object may vanish at any moment. Whoever makes one doomed locks the row FOR UPDATE first and
-- looks for references in a second statement; whoever adds a reference locks it FOR KEY SHARE and finds it live. Rows are locked in the order of id.
CREATE TABLE store.pack (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project integer NOT NULL REFERENCES store.project,
  digest bytea NOT NULL,             -- SHA-256 of the object
  size_bytes bigint NOT NULL,
  index_bytes integer NOT NULL,      -- 0 while uploading; as told until verified
  state smallint NOT NULL,           -- 0 uploading, 1 live, 2 doomed
  run text COLLATE "C" NOT NULL,     -- that uploads it; only this run sees it before it is verified
  touched_at timestamptz NOT NULL,   -- when it was last promised to someone
  registered_at timestamptz,
  verified_at timestamptz,           -- when all its bytes were last found right
  checked_at timestamptz,            -- when someone last began to read it
  problem text,                      -- what is wrong with it
  UNIQUE (project, digest)
);

CREATE INDEX pack_to_verify ON store.pack (registered_at) WHERE state = 1 AND verified_at IS NULL AND problem IS NULL;
CREATE INDEX pack_to_scrub ON store.pack (verified_at) WHERE state = 1 AND verified_at IS NOT NULL AND problem IS NULL;
CREATE INDEX pack_by_touch ON store.pack (touched_at);

-- Which packs hold a chunk. No foreign key: it would be looked up for each of a first capture's 85,000 rows.
CREATE TABLE store.chunk (
  project integer NOT NULL,
  digest bytea NOT NULL,
  pack bigint NOT NULL,
  PRIMARY KEY (project, digest, pack)
);

CREATE INDEX chunk_of_pack ON store.chunk (pack);

CREATE TABLE store.checkpoint (
  id text COLLATE "C" PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  run text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  epoch integer NOT NULL,
  step text COLLATE "C" NOT NULL,       -- empty: of the whole run
  trigger text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  digest bytea NOT NULL,                -- of the tree
  size_bytes bigint NOT NULL,
  stored_bytes bigint NOT NULL,
  file_count bigint NOT NULL,
  pack_count integer NOT NULL,
  pack_bytes bigint NOT NULL,
  manifest bytea NOT NULL,              -- as it came
  deleting boolean NOT NULL DEFAULT false,
  pinned_at timestamptz,
  pinned_by text,
  pin_reason text,
  verified_at timestamptz,
  problem text
);

CREATE INDEX checkpoint_of_run ON store.checkpoint (run, created_at DESC, id DESC);
CREATE INDEX checkpoint_of_project ON store.checkpoint (project, created_at DESC, id DESC);
CREATE INDEX checkpoint_to_verify ON store.checkpoint (number) WHERE verified_at IS NULL AND problem IS NULL AND NOT deleting;
CREATE INDEX checkpoint_to_delete ON store.checkpoint (number) WHERE deleting;

CREATE TABLE store.checkpoint_pack (
  pack bigint NOT NULL REFERENCES store.pack,
  checkpoint bigint NOT NULL REFERENCES store.checkpoint (number),
  PRIMARY KEY (pack, checkpoint)
);

CREATE INDEX packs_of_checkpoint ON store.checkpoint_pack (checkpoint);

-- Runs that need another run's checkpoint: its forks.
CREATE TABLE store.checkpoint_hold (
  checkpoint text COLLATE "C" NOT NULL REFERENCES store.checkpoint,
  run text COLLATE "C" NOT NULL,
  held_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (checkpoint, run)
);

CREATE INDEX holds_of_run ON store.checkpoint_hold (run);
