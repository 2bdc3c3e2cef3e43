-- The public keys that leases are signed with: one a replica, and those of before. A token counts as long as its key is here.
create table lease_key (
  kid text collate "C" primary key,
  public_key bytea not null,
  created_at timestamptz not null default now()
);

-- Why the last runner ended, and when the next one is to begin, while failovers bring nothing.
alter table run
  add last_exit text,
  add next_attempt_at timestamptz;
create index run_in_crash_loop on run (fruitless) where fruitless > 0 and not ended;

-- What somebody outside is told, once for each event of the trace and each way. A row stays for a week after its end.
create table notification (
  id text collate "C" not null,
  channel text not null check (channel in ('topic', 'webhook')),
  run text collate "C" not null,
  event text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  not_before timestamptz not null default now(),
  last_error text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (id, channel)
);
create index notification_pending on notification (not_before) where status = 'pending';
create index notification_by_run on notification (run);
create index notification_by_end on notification (ended_at) where ended_at is not null;
