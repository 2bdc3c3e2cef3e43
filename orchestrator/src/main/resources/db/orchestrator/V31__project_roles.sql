-- The roles of a key in single projects, in addition to the one for all: {"payments": "operator"}.
ALTER TABLE orchestrator.api_key
  ALTER COLUMN role DROP NOT NULL,
  ADD COLUMN projects jsonb NOT NULL DEFAULT '{}',
  ADD CONSTRAINT api_key_has_role CHECK (role IS NOT NULL OR projects <> '{}');
