-- When a contact was last changed: its ETag must change with its secrets, which no answer shows.
alter table contacts add column updated_at timestamptz not null default now();
