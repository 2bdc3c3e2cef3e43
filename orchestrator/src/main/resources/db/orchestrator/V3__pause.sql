-- Whether a pause has been asked for: at the end of the step in progress, or at once. A resume resets it.
alter table run add pause text check (pause in ('step', 'now'));
-- 'paused': no runner is to carry it, though it has not ended.
alter table run drop constraint run_desired_check,
  add constraint run_desired_check check (desired in ('running', 'paused', 'cancelled', 'lost'));
