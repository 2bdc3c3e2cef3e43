-- The roles of a key that has some in single projects: {"payments": "operator", "*": "viewer"}; null for one role in all projects.
-- The digest of such a key is in a column of its own: orchestrators of an earlier version, which know one role for all
-- projects only, compare the key with an empty digest and refuse it.
ALTER TABLE orchestrator.api_key ADD COLUMN projects jsonb;
ALTER TABLE orchestrator.api_key ADD COLUMN project_digest bytea;
