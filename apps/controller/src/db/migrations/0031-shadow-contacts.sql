-- Contacts in shadow get nothing; what they would get is recorded.
alter table contacts add column shadow boolean not null default false;
alter table notifications drop constraint notifications_state_check;
alter table notifications add constraint notifications_state_check
  check (state in ('Pending', 'Delivered', 'Failed', 'Withdrawn', 'Shadow'));
create index notifications_shadow on notifications (alert_no) where state = 'Shadow';
