-- What the receiver said at each attempt, for people.
alter table notifications add column tries jsonb not null default '[]';   -- [{"AtUs", "Answer"}], the latest 20
create index notifications_of_contact on notifications (contact_no, notification_no);
