-- When the contact accepted a message last, microseconds since 1970: what was refused before and again after that
-- waits for its own time.
alter table contact_health add column accepted_us bigint null;
