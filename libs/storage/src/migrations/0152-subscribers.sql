-- Who gets mails about a status page. Without `confirmed_us` they are deleted after a day.
create table page_subscribers (
  subscriber_no int generated always as identity primary key,
  page_no int not null references pages on delete cascade,
  email text not null,
  asked_us bigint not null,
  confirmed_us bigint,
  unique (page_no, email)
);

-- Mails to them that are not delivered yet.
create table page_mails (
  mail_no bigint generated always as identity primary key,
  mail_id text not null unique,
  subscriber_no int not null references page_subscribers on delete cascade,
  subject text not null,
  body text not null,
  attempts int not null default 0,
  first_attempt_us bigint,
  due_us bigint not null,
  lease_until_us bigint
);
create index page_mails_due on page_mails (due_us);
create index page_mails_subscriber on page_mails (subscriber_no);

-- What the subscribers of a page were told: the events up to `after_no`, and the notes of these moments.
create table page_news (
  page_no int primary key references pages on delete cascade,
  after_no bigint not null,
  notes_us bigint[] not null,
  due_us bigint not null
);
