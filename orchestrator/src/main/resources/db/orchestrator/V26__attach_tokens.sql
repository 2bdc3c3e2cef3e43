-- The secret with which orchestrators sign the attach tokens of the runners that they start: the same for all replicas, of 244 random bits.
CREATE TABLE orchestrator.attach_key (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  secret bytea NOT NULL);
INSERT INTO orchestrator.attach_key (secret)
VALUES (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- When a launched runner attached with the token of its start, which it cannot do twice.
ALTER TABLE orchestrator.runner ADD COLUMN attached_at timestamptz;
