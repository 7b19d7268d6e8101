-- The catalog: the things that users of the API own. Joins and big keys use numbers (int), clients use ids (48 hex).
create table accounts (
  account_no int generated always as identity primary key,
  account_id text not null unique,
  name text not null unique,
  timezone text not null default 'UTC',
  default_location_ids text[] null,           -- null: the Location named 'local'
  nschedule_no int null,
  created_at timestamptz not null default now()
);
create table api_keys (
  key_no int generated always as identity primary key,
  key_id text not null unique,
  account_no int not null references accounts,
  name text not null default '',
  key_hash bytea not null unique,             -- SHA-256 of 256 random bits
  hint text not null,                         -- first characters, so that people can distinguish keys
  level text not null check (level in ('UW', 'UR')),
  basic_user text null,
  basic_hash text null,                       -- scrypt$N$r$p$salt$hash
  created_at timestamptz not null default now(),
  revoked_at timestamptz null
);
create table nschedules (
  nschedule_no int generated always as identity primary key,
  nschedule_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  timezone text not null default 'UTC',
  steps jsonb not null default '[]',
  created_at timestamptz not null default now()
);
create table mschedules (
  mschedule_no int generated always as identity primary key,
  mschedule_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  timezone text not null default 'UTC',
  start_local text not null,
  duration_s int not null,
  recurrence text null,
  end_on_first_ok boolean not null default false,
  created_at timestamptz not null default now()
);
alter table accounts add foreign key (nschedule_no) references nschedules;
create table locations (
  location_no int generated always as identity primary key,
  location_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  anchors jsonb not null default '[]',
  nschedule_no int null references nschedules,
  public_targets_only boolean not null default false,
  observing boolean not null default false,   -- at least one agent runs its checks; false 60 s after the last one stopped, and before the first agent
  observing_since_us bigint null,             -- when it came online
  blind_since_us bigint null,                 -- when it went offline: the end of the last coverage
  blind_reason text null,
  created_at timestamptz not null default now(),
  unique (account_no, name)
);
create table agents (
  agent_no int generated always as identity primary key,
  agent_id text not null unique,
  account_no int not null references accounts,
  location_no int not null references locations,
  name text not null,
  token_hash bytea not null unique,           -- SHA-256
  state text not null default 'New' check (state in ('New', 'Connected', 'Away', 'Revoked')),
  version text null,
  host_name text null,
  boot_id text null,
  session_id text null,
  session_counter bigint not null default 0,
  gateway_id text null,                       -- the controller that holds its stream
  capacity int not null default 60000,        -- checks a minute
  last_seen_us bigint null,
  connected_us bigint null,
  away_since_us bigint null,
  clock_offset_us bigint not null default 0,
  backlog_records bigint not null default 0,
  lateness_p50_ms real not null default 0,
  lateness_p99_ms real not null default 0,
  checks_skipped bigint not null default 0,
  blind_reason text null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz null
);
create index agents_location on agents (location_no);
create table devices (
  device_no int generated always as identity primary key,
  device_id text not null unique,
  account_no int not null references accounts,
  method text not null,
  url text not null,                          -- as the API shows it: secrets masked
  options jsonb not null default '{}',        -- as the API shows it: secrets masked
  sealed bytea not null,                      -- {"url", "options"} with secrets, AES-256-GCM, key outside the database
  host_data jsonb null,                       -- as the API shows it, when the client used the older form HostData
  short_name text not null,
  full_name text null,
  frequency_min int not null,
  timeout_s int not null,
  retries int not null,
  retry_delay_s int not null,
  nschedule_no int null references nschedules,
  mschedule_no int null references mschedules,
  master_no int null references devices,
  locations_given boolean not null,           -- false: the client named no Locations, so the account's default applied
  revision int not null default 1,            -- grows with each change of a setting that agents use
  target_revision int not null default 1,     -- the revision of the last change of target or Options; older results do not change the status
  changed_us bigint not null,                 -- when target, Options, Locations or Frequency last changed
  warnings text[] not null default '{}',
  created_us bigint not null,
  updated_us bigint not null
);
create index devices_account on devices (account_no, device_no);
create index devices_master on devices (master_no) where master_no is not null;
create table device_locations (
  device_no int not null references devices on delete cascade,
  location_no int not null references locations,
  turn int not null,
  primary key (device_no, location_no)
);
create index device_locations_location on device_locations (location_no, device_no);
create table tags (
  tag_no int generated always as identity primary key,
  tag_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  created_at timestamptz not null default now()
);
create table device_tags (
  tag_no int not null references tags on delete cascade,
  device_no int not null references devices on delete cascade,
  primary key (tag_no, device_no)
);
create index device_tags_device on device_tags (device_no);
create table secrets (
  account_no int not null references accounts,
  name text not null,
  secret_id text not null unique,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (account_no, name)
);
