-- The contact's updated_at at its latest claim, microseconds: an edit since then releases what waits for it.
alter table contact_health add column contact_seen_us bigint null;
