-- The history (checks, their facts, packed days, roll-ups) may lie on the workers of a Citus cluster (docs/adr/0021-history-on-citus.md). Citus
-- refuses a foreign key from there to a local table: who deletes a device deletes its packed days.
alter table packed_checks drop constraint packed_checks_device_no_fkey;

-- Statements that join local tables with history call these functions. PostgreSQL puts the text of a function into the statement that calls it (one
-- SELECT in SQL, stable, without settings of its own), so they cost nothing. Where the history is distributed they are plpgsql with the
-- same text, and each call asks the worker of its device (db/distribute).

-- The newest checks of a device. `from_us` and `to_us` choose the partitions: give them as literals.
create function newest_checks(device int, after_us bigint, from_us bigint, to_us bigint, most int) returns setof checks
language sql stable as $$
  select * from checks c where c.device_no = device and c.start_us > after_us and c.start_us >= from_us and c.start_us < to_us
  order by c.start_us desc, c.agent_no desc limit most
$$;

-- The newest packed day of a device that has a check from `from_us` on.
create function newest_packed_day(device int, from_us bigint) returns setof packed_checks
language sql stable as $$
  select * from packed_checks p where p.device_no = device and p.last_us >= from_us order by p.day_us desc limit 1
$$;

-- The newest good or bad checks of a device that ended at `ended_us` or later.
create function newest_verdicts(device int, ended_us bigint, from_us bigint, after_us bigint, to_us bigint, most int) returns setof checks
language sql stable as $$
  select * from checks c where c.device_no = device and c.start_us >= from_us and c.start_us > after_us and c.start_us < to_us
    and c.end_us >= ended_us and c.code not in (9, 10)
  order by c.start_us desc limit most
$$;

-- The first checks of a device that are not good and ended at `ended_us` or later.
create function first_failures(device int, ended_us bigint, from_us bigint, after_us bigint, to_us bigint, most int) returns setof checks
language sql stable as $$
  select * from checks c where c.device_no = device and c.code <> 1 and c.start_us >= from_us and c.start_us >= after_us and c.start_us < to_us
    and c.end_us >= ended_us
  order by c.start_us limit most
$$;

-- A page of a device's checks, newest first. A condition that is null is none; `no_good` repeats the words of the partial index, and
-- what is a literal costs nothing. The sum keeps PostgreSQL from its statistics of Locations.
create function checks_page(device int, recent_us bigint, from_us bigint, until_us bigint, location_nos int[], codes smallint[], no_good boolean,
  before_us bigint, before_agent int, most bigint, skipped bigint) returns setof checks
language sql stable as $$
  select * from checks c where c.device_no = device and c.start_us >= recent_us and c.start_us >= from_us and c.start_us < until_us
    and (location_nos is null or c.location_no + 0 = any (location_nos)) and (codes is null or c.code = any (codes))
    and (not no_good or c.code <> 1) and (before_agent is null or (c.start_us, c.agent_no) < (before_us, before_agent))
    and (before_agent is null or c.start_us <= before_us)
  order by c.start_us desc, c.agent_no desc limit most offset skipped
$$;

-- A failed check of a device in a span.
create function failed_checks(device int, from_us bigint, to_us bigint) returns setof checks
language sql stable as $$
  select * from checks c where c.device_no = device and c.start_us >= from_us and c.start_us < to_us and c.code not in (1, 9, 10) limit 1
$$;
