-- What events of a run need to count: those whose run_created an orchestrator has signed need signatures and, if managed, leases.
ALTER TABLE store.run_home ADD COLUMN signed boolean NOT NULL DEFAULT false;
ALTER TABLE store.run_home ADD COLUMN needs_lease boolean NOT NULL DEFAULT false;
