-- Reports that are sent by mail after each month.
create table reports (
  report_no int generated always as identity primary key,
  report_id text not null unique,
  account_no int not null references accounts on delete cascade,
  name text not null,
  tag_nos int[],              -- null: all devices
  contact_nos int[] not null,
  objective int,              -- thousandths of a percent
  external_key text,
  source text,
  created_us bigint not null,
  updated_us bigint not null default (extract(epoch from now()) * 1000000)::bigint
);
create unique index reports_external_key on reports (account_no, external_key) where external_key is not null;
create index reports_name_key on reports (account_no, vantage_name_key(name));
create trigger keep_whole before insert or update or delete on reports for each statement
  when (current_setting('vantage.scope', true) <> '') execute function keep_account_whole();

-- The last month of which the mails of a report were stored (2026-10), and how the last one of them went.
create table report_progress (
  report_no int primary key references reports on delete cascade,
  month text not null,
  stored_us bigint not null,
  answer text
);

-- Mails to subscribers of status pages, and reports to contacts.
alter table page_mails rename to mails;
alter index page_mails_due rename to mails_due;
alter index page_mails_subscriber rename to mails_subscriber;
alter table mails alter column subscriber_no drop not null,
  add column report_no int references reports on delete cascade,
  add column contact_no int references contacts on delete cascade,
  add column html text,
  add check (num_nonnulls(subscriber_no, contact_no) = 1 and (contact_no is null) = (report_no is null));
create index mails_contact on mails (contact_no) where contact_no is not null;
create index mails_report on mails (report_no) where report_no is not null;
