-- The tool call of an agent that an approval is about, as JSON; null for an approval step.
ALTER TABLE orchestrator.approval ADD COLUMN tool text;
