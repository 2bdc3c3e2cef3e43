-- A version's text as it was put last, comments included. The version itself is its canonical form.
create table workflow_source (
  hash text collate "C" primary key references workflow on delete cascade,
  media_type text not null,
  source bytea not null,
  put_at timestamptz not null default now()
);
