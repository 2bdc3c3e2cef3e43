-- Requests that an attempt has given up may still reach the object store: an upload of another manifest, or the deletion of a pack that
-- was stored again. What a row names must not depend on them.

-- A manifest's object is written after the row is, under a key with the manifest's digest. True until it is there: it is written again
-- until then. Rows from before have theirs already.
ALTER TABLE store.checkpoint ADD COLUMN object_pending boolean NOT NULL DEFAULT false;

CREATE INDEX checkpoint_to_write ON store.checkpoint (number) WHERE object_pending;

-- Appended to the key of the pack's object. Empty unless a pack with the same digest was deleted recently.
ALTER TABLE store.pack ADD COLUMN key_suffix text COLLATE "C" NOT NULL DEFAULT '';

-- Packs that were deleted recently: a late deletion may still hit their keys, so a new pack with the digest gets another one.
CREATE TABLE store.deleted_pack (
  project integer NOT NULL,
  digest bytea NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, digest)
);

CREATE INDEX deleted_pack_by_age ON store.deleted_pack (deleted_at);
