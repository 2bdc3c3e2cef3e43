-- The same word as in the bucket, if this database knows what is in it.
CREATE TABLE store.bucket_token (
  one boolean PRIMARY KEY CHECK (one),
  token text NOT NULL
);
