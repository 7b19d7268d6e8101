-- The time that the stored data proves: it passes while a controller runs, and follows the clock only where other
-- clocks confirm it. Retention counts from it (docs/clocks.md).
create table clock_evidence (
  one boolean primary key default true check (one),
  agreed_us bigint not null,
  seen_us bigint not null          -- the controller's clock when it was written
);
insert into clock_evidence (agreed_us, seen_us)
  select max(last_seen_us), max(last_seen_us) from agents having max(last_seen_us) is not null;
