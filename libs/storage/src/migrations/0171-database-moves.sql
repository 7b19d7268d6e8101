-- "vantage database copy": what it says about this database, and what changed in it meanwhile. A backup and a copy leave both out.
create table database_moves (
  single boolean primary key default true check (single),
  -- copying: this one is read. moved: another one took its place. unfinished, prepared, arrived: it is the copy.
  state text not null check (state in ('copying', 'moved', 'unfinished', 'prepared', 'arrived')),
  copy_id text not null,
  at_us bigint not null,
  target text not null,                       -- where it went, without a password
  sealed bytea                                -- its URL, AES-256-GCM, key outside the database
);
create table copy_changes (
  xid bigint not null,
  table_name text not null,
  key jsonb not null                          -- values of the columns that name the row
);

-- The trigger of each table of a database that is copied; its argument is the list of the columns that name a row. Writers share the
-- lock (30213, 0) until they end, so that who has it alone sees all changes. Who copies holds (30213, 1): without one nothing is noted.
create function note_copy_change() returns trigger language plpgsql set search_path from current as $$
declare
  source text;
begin
  perform pg_advisory_xact_lock_shared(30213, 0);
  if exists (select from database_moves where state = 'moved') then
    raise exception 'this database was copied to another one, which took its place' using errcode = '57V01';
  end if;
  if pg_try_advisory_xact_lock_shared(30213, 1) then
    return null;
  end if;
  source := case tg_op
    when 'INSERT' then format('select %s from new_rows', tg_argv[0])
    when 'DELETE' then format('select %s from old_rows', tg_argv[0])
    else format('select %1$s from old_rows union select %1$s from new_rows', tg_argv[0]) end;
  execute format('insert into copy_changes (xid, table_name, key)
    select pg_current_xact_id()::text::bigint, %L, jsonb_build_array(%s) from (%s) changed', tg_table_name, tg_argv[0], source);
  return null;
end $$;
