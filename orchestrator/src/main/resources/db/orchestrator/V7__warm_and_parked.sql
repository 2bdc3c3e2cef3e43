-- Runners that wait for a run, serve it and end.
alter table runner drop constraint runner_mode_check;
alter table runner add constraint runner_mode_check check (mode in ('isolated', 'warm', 'shared'));

-- Runs that wait without a runner. A row counts while its run is in the epoch that parked it.
create table parked (
  run text collate "C" primary key references run on delete cascade,
  epoch int not null,
  parked_at timestamptz not null,
  -- When the run goes on by itself; null: only by an answer.
  resume_at timestamptz
);
create index parked_due on parked (resume_at) where resume_at is not null;
