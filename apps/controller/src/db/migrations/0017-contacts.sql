-- Contacts: where notifications of alerts go. Their addresses and secrets are kept sealed, like those of devices.
create table contacts (
  contact_no int generated always as identity primary key,
  contact_id text not null unique,
  account_no int not null references accounts,
  external_key text null,
  name text not null,
  type text not null,                         -- a name in the registry of channels
  address text not null,                      -- as the API shows it: secrets masked
  sealed bytea not null,                      -- {"address", "secret", "previousSecret"}, AES-256-GCM, key outside the database
  previous_secret_until_us bigint null,       -- a rotated secret also signs until then
  notify text[] null,                         -- kinds of notification; null: all
  created_at timestamptz not null default now()
);
create index contacts_account on contacts (account_no, contact_no);
create unique index contacts_external_key on contacts (account_no, external_key) where external_key is not null;
alter table nschedules add column external_key text null;
create index nschedules_account on nschedules (account_no, nschedule_no);
create unique index nschedules_external_key on nschedules (account_no, external_key) where external_key is not null;
alter table mschedules add column external_key text null;
create index mschedules_account on mschedules (account_no, mschedule_no);
create unique index mschedules_external_key on mschedules (account_no, external_key) where external_key is not null;

-- How bad an outage of the device is; steps of notification schedules choose by it.
alter table devices add column severity text not null default 'critical' check (severity in ('critical', 'warning', 'info'));
