-- Controllers that find a clock wrong, each with a sentence for people. Times are by the clock of the database: those of the
-- controllers are in doubt.
create table wrong_clocks (
  controller_id text primary key,
  reason text not null,
  ends_us bigint not null                     -- the controller is gone if it did not say so again until then
);
create unique index alerts_open_clock on alerts (account_no) where closed_us is null and kind = 'clock.wrong';
