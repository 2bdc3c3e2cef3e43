-- The public keys that the orchestrator has published: a restart while it is away still knows whose leases count.
CREATE TABLE store.lease_key (
  kid text COLLATE "C" PRIMARY KEY,
  public_key bytea NOT NULL,
  fetched_at timestamptz NOT NULL DEFAULT now()
);
