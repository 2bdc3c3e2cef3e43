-- Ids are compared bytewise ("C"): a ULID's order is its time.

create table workflow (
  hash text collate "C" primary key,
  name text not null,
  definition text not null,
  created_at timestamptz not null default now()
);
create index workflow_by_name on workflow (name, created_at desc);

-- Which version a bare name means: the one that was put last.
create table workflow_name (
  name text collate "C" primary key,
  hash text not null references workflow,
  updated_at timestamptz not null default now()
);

create table run (
  id text collate "C" primary key check (length(id) = 26),
  display_id text collate "C" generated always as (right(id, 6)) stored,
  project text not null,
  kind text not null check (kind in ('managed', 'external')),
  workflow text,
  definition_hash text,
  isolation text not null check (isolation in ('isolated', 'shared')),
  labels jsonb not null default '{}',
  input text,
  restart text not null,
  deadline timestamptz,
  heartbeat_interval_ms bigint,
  heartbeat_timeout_ms bigint,
  created_at timestamptz not null,
  -- control: written in transactions that also write the outbox
  epoch int not null,
  control_seq bigint not null,
  desired text not null default 'running' check (desired in ('running', 'cancelled', 'lost')),
  runner_id text,
  assigned_at timestamptz,
  fruitless int not null default 0,
  completed_at_failover bigint not null default 0,
  -- view: the trace, folded; only the projection writes it
  head text,
  status text not null,
  ended boolean not null default false,
  started_epoch int not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  current_steps text not null default '[]',
  completed bigint not null default 0,
  fenced bigint not null default 0,
  output text,
  error text,
  runner_pid bigint,
  runner_host text
) with (fillfactor = 70);
create index run_by_display on run (display_id);
create index run_by_status on run (status, id desc);
create index run_by_workflow on run (workflow, id desc);
create index run_by_label on run using gin (labels jsonb_path_ops);
create index run_by_runner on run (runner_id) where runner_id is not null;
create index run_open on run (assigned_at) where not ended;

create table approval (
  id text collate "C" primary key,
  run text collate "C" not null references run,
  step text not null,
  prompt text not null,
  answer_schema text,
  default_answer text,
  expires_at timestamptz,
  cut text,
  status text not null check (status in ('waiting', 'answered', 'expired')),
  answer text,
  answered_by text,
  comment text,
  asked_at timestamptz not null,
  answered_at timestamptz
);
create index approval_by_run on approval (run);
create index approval_waiting on approval (asked_at) where status = 'waiting';

-- One row is an ordered list of effects for one run. Rows of a run are done in the order of their ids.
create table outbox (
  id bigint generated always as identity primary key,
  run text collate "C" not null,
  effects text not null,
  not_before timestamptz not null default now(),
  awaits_slot boolean not null default false,
  attempts int not null default 0,
  created_at timestamptz not null default now()
);
create index outbox_by_run on outbox (run, id);

create table idempotency (
  key text collate "C" primary key,
  body_hash text not null,
  status int not null,
  location text,
  body text not null,
  created_at timestamptz not null default now()
);
create index idempotency_by_age on idempotency (created_at);

create table runner (
  id text collate "C" primary key,
  mode text not null check (mode in ('isolated', 'shared')),
  instance text not null,
  host text not null,
  run text collate "C",
  epoch int,
  state text not null check (state in ('starting', 'running', 'exited')),
  pid bigint,
  started_at_ms bigint,
  log_path text not null,
  exit_code int,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create index runner_by_run on runner (run) where run is not null;
create index runner_alive on runner (instance) where state <> 'exited';

-- The next offset of each partition of the trace; moves in the transaction that writes what was read.
create table projection_position (
  partition int primary key,
  next_offset bigint not null
);
