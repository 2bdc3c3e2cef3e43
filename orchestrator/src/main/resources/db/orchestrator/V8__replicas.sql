-- Who takes part. A replica holds an advisory lock of its name while it lives: its row without the lock tells that it has gone.
create table replica (
  instance text collate "C" primary key,
  url text not null,
  started_at timestamptz not null default now()
);
