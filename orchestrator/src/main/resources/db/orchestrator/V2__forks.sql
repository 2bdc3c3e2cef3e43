-- Whose cut a run began with. The parent may be gone.
alter table run
  add forked_from text collate "C",
  add forked_position bigint,
  add forked_step text,
  add forked_checkpoint text collate "C";
create index run_by_parent on run (forked_from, id) where forked_from is not null;
