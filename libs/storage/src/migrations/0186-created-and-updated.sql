-- Every kind of thing says when it was created, and when its settings were changed last.
alter table hooks add column created_us bigint;
update hooks set created_us = updated_us;
alter table hooks alter column created_us set default (extract(epoch from now()) * 1000000)::bigint, alter column created_us set not null;
alter table pages add column created_us bigint;
update pages set created_us = updated_us;
alter table pages alter column created_us set default (extract(epoch from now()) * 1000000)::bigint, alter column created_us set not null;
alter table secrets add column created_at timestamptz;
update secrets set created_at = updated_at;
alter table secrets alter column created_at set default now(), alter column created_at set not null;

create function note_update() returns trigger language plpgsql set search_path from current as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

-- Columns that a user sets; the others change while things run.
do $$
declare
  settings constant jsonb := '{
    "accounts": ["timezone", "default_location_ids", "nschedule_no"],
    "api_keys": ["name", "level", "expires_us", "tag_nos", "revoked_at"],
    "tags": ["name", "external_key", "source"],
    "locations": ["name", "external_key", "source", "anchors", "nschedule_no", "public_targets_only", "deleted_at"],
    "agents": ["name", "location_no", "revoked_at", "removed_at"],
    "nschedules": ["name", "timezone", "steps", "external_key", "source"],
    "mschedules": ["name", "timezone", "start_local", "duration_s", "recurrence", "end_on_first_ok", "external_key", "source"]
  }';
  t text;
  columns text;
begin
  for t in select jsonb_object_keys(settings) loop
    execute format('alter table %I add column updated_at timestamptz', t);
    execute format('update %I set updated_at = created_at', t);
    execute format('alter table %I alter column updated_at set default now(), alter column updated_at set not null', t);
    select string_agg(format('%I', c), ', ') into columns from jsonb_array_elements_text(settings -> t) c;
    execute format('create trigger %1$s_updated before update of %2$s on %1$I for each row when ((%3$s) is distinct from (%4$s)) execute function note_update()',
      t, columns, 'old.' || replace(columns, ', ', ', old.'), 'new.' || replace(columns, ', ', ', new.'));
  end loop;
end $$;
