-- Notifications: one message to one contact each, and the attempts to deliver it. Workers of any controller lease them.
create table notifications (
  notification_no bigint generated always as identity primary key,
  notification_id text not null unique,       -- the receiver deduplicates by it: webhook-id, Message-ID
  account_no int not null,
  contact_no int not null,                    -- the row stays when the contact is deleted
  alert_no bigint null,
  order_key text not null,                    -- notifications of one contact with the same key are delivered one after the other
  kind text not null,
  severity text not null,
  data jsonb not null,                        -- facts for the message, without secrets
  at_us bigint not null,
  created_us bigint not null,
  state text not null default 'Pending' check (state in ('Pending', 'Delivered', 'Failed', 'Withdrawn')),
  attempts int not null default 0,
  due_us bigint not null,                     -- no attempt before
  first_attempt_us bigint null,
  message jsonb null,                         -- made at the first attempt, every attempt sends it; null again at the end
  leader_no bigint null,                      -- merged into the message of this notification
  lease_token text null,                      -- the attempt that runs
  lease_until_us bigint null,                 -- by the clock of the database
  ended_us bigint null,
  answer text null                            -- of the last attempt, for people
);
create index notifications_due on notifications (due_us) where state = 'Pending' and leader_no is null;
create index notifications_contact on notifications (contact_no, due_us) where state = 'Pending' and leader_no is null;
create index notifications_order on notifications (contact_no, order_key, notification_no) where state = 'Pending';
create index notifications_leader on notifications (leader_no) where leader_no is not null;
create index notifications_alert on notifications (alert_no) where alert_no is not null;

-- One row for each contact that ever got a notification. Workers lock it while they claim or record attempts of the contact.
create table contact_health (
  contact_no int primary key,
  account_no int not null,
  failures int not null default 0,            -- failed attempts since the last good one
  failing_since_us bigint null,
  failed_us bigint null,                      -- a notification failed for good, and none was delivered since
  grouping jsonb not null default '{}'        -- when the latest messages left, and when the next grouped one may
);
