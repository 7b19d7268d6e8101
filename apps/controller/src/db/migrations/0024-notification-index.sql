-- A claim reads the first notifications that are due to one contact, attempted ones and others apart. It costs the same however many wait.
drop index notifications_due;
drop index notifications_contact;
create index notifications_contact on notifications (contact_no, (least(attempts, 1)), due_us, notification_no)
  where state = 'Pending' and leader_no is null;
