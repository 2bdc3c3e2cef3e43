-- Keys of people and programs. The key itself is shown once, when it is created, and not stored.
CREATE TABLE orchestrator.api_key (
  id text PRIMARY KEY,
  digest bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz);
