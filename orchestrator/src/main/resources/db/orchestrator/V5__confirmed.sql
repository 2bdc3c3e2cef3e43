-- The newest epoch whose runner, having been cut off, was told that it still holds the run, and when: by this server's clock.
alter table run add confirmed_at timestamptz, add confirmed_epoch int;
