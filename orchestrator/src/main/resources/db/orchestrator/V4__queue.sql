-- Which run comes first, where not all can be under way.
alter table run add priority int not null default 0;
alter table outbox add priority int not null default 0;

-- A run waits for a place under its workflow's limit. What it then owes: its events get their numbers when it goes on.
alter table run
  add queued_at timestamptz,
  add queued_effects text,
  add queued_definition text,
  add queued_isolation text;
create index run_queue on run (project, workflow, priority desc, queued_at, id) where queued_at is not null;

-- Those that may have a place.
create index run_with_place on run (project, workflow)
  where not ended and queued_at is null and kind = 'managed';

-- Past their deadline without a runner that would notice.
create index run_by_deadline on run (deadline)
  where deadline is not null and (not ended or queued_at is not null);

-- As the version says that the name means.
alter table workflow_name add concurrency int;

-- An operator's word instead of the definition's.
create table workflow_limit (
  workflow text collate "C" primary key,
  runs int not null check (runs between 0 and 1000000),
  changed_at timestamptz not null default now()
);

create view concurrency_limit as
  select n.name as workflow, coalesce(l.runs, n.concurrency) as runs
  from workflow_name n left join workflow_limit l on l.workflow = n.name
  where coalesce(l.runs, n.concurrency) is not null;

-- What waits for a runner with room, and the order in which it is looked at.
create index outbox_awaiting on outbox (not_before) where awaits_slot;
create index outbox_by_priority on outbox (priority desc, id);

-- Questions, page by page.
create index approval_by_age on approval (asked_at, id);
