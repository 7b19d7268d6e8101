-- A contact that fails for longer has one open alert; its reason is the answer of the last failed attempt.
alter table contact_health add column last_answer text null;
create index contact_health_failing on contact_health (failing_since_us) where failing_since_us is not null;
create unique index alerts_open_contact on alerts ((opening ->> 'contact_id'))
  where closed_us is null and kind = 'contact.failing';
-- What waits for a contact that can be reached again leaves at once, in one message, but not before its receiver
-- permits it, and not what the receiver may have accepted already.
alter table notifications add column not_before_us bigint null;
alter table notifications add column maybe_sent boolean not null default false;
