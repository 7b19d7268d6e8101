-- What an operator has to see to, each with a sentence for people and the controller that says so. `clock.wrong` was the first kind.
alter table wrong_clocks rename to installation_problems;
alter table installation_problems add column kind text not null default 'clock.wrong';
alter table installation_problems alter column kind drop default;
alter table installation_problems drop constraint wrong_clocks_pkey;
alter table installation_problems add primary key (controller_id, kind);
drop index alerts_open_clock;
create unique index alerts_open_installation on alerts (account_no, kind)
  where closed_us is null and kind in ('clock.wrong', 'disk.low', 'backup.old');
-- When the newest backup that was restored for a trial took its snapshot.
alter table last_backup add column verified_us bigint;
