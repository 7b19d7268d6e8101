-- Endpoints that get every event; `sealed` holds the address and the secret. Events after `after_no` are theirs.
create table hooks (
  hook_no int generated always as identity primary key,
  hook_id text not null unique,
  account_no int not null references accounts on delete cascade,
  name text not null,
  address text not null,
  sealed bytea not null,
  types text[],               -- null: all
  tag_no int,                 -- null: devices with any tag, or none
  external_key text,
  source text,
  after_no bigint not null,
  updated_us bigint not null default (extract(epoch from now()) * 1000000)::bigint
);
create unique index hooks_external_key on hooks (account_no, external_key) where external_key is not null;
create index hooks_name_key on hooks (account_no, vantage_name_key(name));

-- How far the deliveries of a hook are. The event after `after_no` is in work: attempts and its first attempt are of it.
create table hook_progress (
  hook_no int primary key references hooks on delete cascade,
  after_no bigint not null,
  attempts int not null default 0,
  first_attempt_us bigint,
  due_us bigint not null default 0,
  lease_token text,
  lease_until_us bigint,
  failing_since_us bigint,
  delivered_us bigint,
  last_answer text,
  given_up bigint not null default 0
);

-- Status pages: `GET /status/{path}`.
create table pages (
  page_no int generated always as identity primary key,
  page_id text not null unique,
  account_no int not null references accounts on delete cascade,
  name text not null,
  path text not null unique,
  tag_nos int[],              -- null: all devices
  access text not null check (access in ('Public', 'Password', 'SignedIn')),
  password_hash text,
  shows text[] not null,      -- of URL, CheckResult, Location
  notes jsonb not null,       -- [{At, Kind, Text}], the newest first
  external_key text,
  source text,
  updated_us bigint not null default (extract(epoch from now()) * 1000000)::bigint
);
create unique index pages_external_key on pages (account_no, external_key) where external_key is not null;
create index pages_name_key on pages (account_no, vantage_name_key(name));

-- What belongs to the whole account; 0145 has the function.
create trigger keep_whole before insert or update or delete on hooks for each statement
  when (current_setting('vantage.scope', true) <> '') execute function keep_account_whole();
create trigger keep_whole before insert or update or delete on pages for each statement
  when (current_setting('vantage.scope', true) <> '') execute function keep_account_whole();
