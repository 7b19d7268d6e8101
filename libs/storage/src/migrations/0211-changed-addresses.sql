-- The address that a person has from the moment at which they accept their open invitation; null: the same.
alter table users add column invitation_email text null;
-- A mail to an address itself, which is neither of a subscriber nor of a report.
alter table mails add column address text null, drop constraint mails_check,
  add check (num_nonnulls(subscriber_no, contact_no, address) = 1 and (contact_no is null) = (report_no is null));
