-- The schema of version 0.2.0: what the migrations 0001 to 0042 made (docs/adr/0024-migration-baseline.md).
-- Only a new database runs this file. Later migrations change these tables: never edit it.
--
-- Joins and big keys use numbers (…_no), clients use ids (…_id, 48 hex). Columns …_us are microseconds since 1970.
-- `sealed` is encrypted (AES-256-GCM, the key is outside of the database). The columns beside it have secrets masked.
--
--   1 accounts and keys    4 devices        7 events and audit
--   2 schedules            5 checks         8 contacts, alerts and notifications
--   3 Locations, agents    6 status         9 controllers


-- 1 accounts and keys ------------------------------------------------------------------------------------------------

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

-- Secrets of an account, to which devices refer by ${secret:NAME}.
create table secrets (
  account_no int not null references accounts,
  name text not null,
  secret_id text not null unique,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (account_no, name)
);

-- Answers that are kept for the repetition of a request (header Idempotency-Key), and requests that run outside a
-- transaction.
create table kept_answers (
  answer_no bigint generated always as identity primary key,
  account_no int not null references accounts,
  request bytea not null,                     -- SHA-256 of verb, path and Idempotency-Key
  content bytea not null,                     -- SHA-256 of what else was sent: query, body, the key's level
  sealed bytea null,                          -- the answer; null: the request runs
  size int not null,                          -- bytes of `sealed`
  runs_until_us bigint null,                  -- a request that runs is given up then
  part_of bytea null,                         -- `request` of the batch that has it as an operation
  created_us bigint not null,
  unique (account_no, request)
);
create index kept_answers_newest on kept_answers (account_no, answer_no desc) include (size);
create index kept_answers_age on kept_answers (created_us);


-- 2 schedules --------------------------------------------------------------------------------------------------------

-- Notification schedules: who is notified, when and how often.
create table nschedules (
  nschedule_no int generated always as identity primary key,
  nschedule_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  timezone text not null default 'UTC',
  steps jsonb not null default '[]',
  created_at timestamptz not null default now(),
  external_key text null                      -- the client's own identity of a thing: unique per account and kind
);
create index nschedules_account on nschedules (account_no, nschedule_no);
create unique index nschedules_external_key on nschedules (account_no, external_key) where external_key is not null;

alter table accounts add foreign key (nschedule_no) references nschedules;

-- Maintenance schedules.
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
  created_at timestamptz not null default now(),
  external_key text null
);
create index mschedules_account on mschedules (account_no, mschedule_no);
create unique index mschedules_external_key on mschedules (account_no, external_key) where external_key is not null;


-- 3 Locations and agents ---------------------------------------------------------------------------------------------

-- Deleted Locations keep their rows: history names them. A deleted Location's name is free for another one.
create table locations (
  location_no int generated always as identity primary key,
  location_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  anchors jsonb not null default '[]',
  nschedule_no int null references nschedules,
  public_targets_only boolean not null default false,
  online boolean not null default false,      -- an agent runs its checks; false 60 s after the last one stopped
  online_since_us bigint null,
  offline_since_us bigint null,               -- the end of the last coverage
  offline_reason text null,
  created_at timestamptz not null default now(),
  external_key text null,
  deleted_at timestamptz null,
  failed_anchors jsonb not null default '[]'  -- the anchors that have an open alert
);
create unique index locations_name on locations (account_no, name) where deleted_at is null;
create unique index locations_external_key on locations (account_no, external_key) where external_key is not null;

-- Removed agents keep their rows: history names them.
create table agents (
  agent_no int generated always as identity primary key,
  agent_id text not null unique,
  account_no int not null references accounts,
  location_no int not null references locations,
  name text not null,
  token_hash bytea not null unique,           -- SHA-256
  -- Fenced: two processes use the identity of the agent; neither may connect until an operator lifts the fence.
  state text not null default 'New' check (state in ('New', 'Connected', 'Away', 'Fenced', 'Revoked')),
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
  offline_reason text null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz null,
  removed_at timestamptz null,
  -- A token enrols one agent, once. Null: it has no end, and also opens streams until the agent has enrolled.
  token_expires_us bigint null,
  token_used_us bigint null,
  key_hash bytea null unique,                 -- SHA-256 of the agent's public key (SubjectPublicKeyInfo)
  certificate text null,                      -- the newest one, PEM
  certificate_end_us bigint null,
  traces_on_request boolean not null default false,
  leaving_since_us bigint null,               -- it ends: its devices are handed over while it checks them
  anchor_states jsonb not null default '[]',  -- what it finds of the anchors of its Location
  architecture text null,                     -- the parcel that its host needs: amd64, arm64
  upgrade_fault text null                     -- why it cannot upgrade itself; null in both: its version cannot
);
create index agents_location on agents (location_no);

-- The Locations that an agent had before it was moved, each with its time. Its present Location is in agents.
create table former_locations (
  agent_no int not null references agents,
  location_no int not null references locations,
  from_us bigint not null,                    -- 0: since the agent exists
  to_us bigint not null,                      -- when it was moved away; not included
  primary key (agent_no, to_us)
);
create index former_locations_location on former_locations (location_no);

-- Certificate authorities sign the certificates of agents and of the controllers. All that are not over are trusted.
create table authorities (
  authority_no int generated always as identity primary key,
  certificate text not null unique,           -- PEM
  sealed bytea not null,                      -- its key and the key of the controllers' certificates
  not_after_us bigint not null
);

-- A rollout upgrades agents of one account in shares, and stops when one of them fails.
create table rollouts (
  rollout_no int generated always as identity primary key,
  account_no int not null references accounts,
  version text not null,
  state text not null default 'Running' check (state in ('Running', 'Done', 'Stopped')),
  reason text null,                           -- why it stopped
  started_us bigint not null,
  ended_us bigint null
);
create index rollouts_running on rollouts (rollout_no) where state = 'Running';

-- The latest upgrade of each agent.
create table agent_upgrades (
  agent_no int primary key references agents,
  upgrade_id text not null,                   -- the agent's reports name it
  rollout_no int not null references rollouts,
  version text not null,
  state text not null default 'Waiting'
    check (state in ('Waiting', 'Started', 'Downloading', 'Restarting', 'Done', 'Failed', 'Stopped')),
  reason text null,
  changed_us bigint not null
);
create index agent_upgrades_of_rollout on agent_upgrades (rollout_no);

-- Spans in which an agent's stream was open.
create table connection_spans (
  agent_no int not null,
  location_no int not null,
  from_us bigint not null,
  to_us bigint null,
  session_id text not null primary key
);
create index connection_spans_agent on connection_spans (agent_no, from_us);
create index connection_spans_open on connection_spans (agent_no) where to_us is null;

-- Spans in which an agent ran everything that was due. Adjacent spans are joined.
create table coverage (
  agent_no int not null,
  from_us bigint not null,
  to_us bigint not null,
  primary key (agent_no, from_us)
);

-- Results that were lost. An agent makes the ids of its gaps itself, so that no other agent can use up an id.
create table gaps (
  gap_id text not null,
  agent_no int not null,
  from_us bigint not null,
  to_us bigint not null,
  dropped_results int not null,
  reason text not null,
  primary key (agent_no, gap_id)
);
create index gaps_agent on gaps (agent_no, from_us);

create table clock_records (
  agent_no int not null,
  at_us bigint not null,
  offset_us bigint not null,
  round_trip_us bigint not null,
  primary key (agent_no, at_us)
);

-- Records that the controller could not accept, with the reason. Kept 30 days, 100,000 rows at most.
create table quarantined (
  quarantined_no bigint generated always as identity primary key,
  agent_no int not null,
  received_us bigint not null,
  reason text not null,
  record jsonb not null
);


-- 4 devices ----------------------------------------------------------------------------------------------------------

create table devices (
  device_no int generated always as identity primary key,
  device_id text not null unique,
  account_no int not null references accounts,
  method text not null,
  url text not null,                          -- as the API shows it: secrets masked
  options jsonb not null default '{}',        -- as the API shows it: secrets masked
  sealed bytea not null,                      -- {"url", "options"} with secrets
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
  target_revision int not null default 1,     -- of the last change of target or Options; older results count no more
  changed_us bigint not null,                 -- when target, Options, Locations or Frequency last changed
  warnings text[] not null default '{}',
  created_us bigint not null,
  updated_us bigint not null,
  external_key text null,
  enabled boolean not null default true,      -- false: paused. It is not checked and its status is Unknown
  severity text not null default 'critical' check (severity in ('critical', 'warning', 'info')) -- steps choose by it
);
create unique index devices_external_key on devices (account_no, external_key) where external_key is not null;
create index devices_master on devices (master_no) where master_no is not null;
create index devices_mschedule on devices (mschedule_no) where mschedule_no is not null;
-- Lists of devices: in the order of their creation or names, of one Method, and of those that are paused.
create index devices_account on devices (account_no, device_no);
create index devices_short_name on devices (account_no, short_name, device_no);
create index devices_method on devices (account_no, method, device_no);
create index devices_paused on devices (account_no, device_no) where not enabled;

create table device_locations (
  device_no int not null references devices on delete cascade,
  location_no int not null references locations,
  rotation_index int not null,
  primary key (device_no, location_no)
);
create index device_locations_location on device_locations (location_no, device_no);

create table tags (
  tag_no int generated always as identity primary key,
  tag_id text not null unique,
  account_no int not null references accounts,
  name text not null,
  created_at timestamptz not null default now(),
  external_key text null
);
create unique index tags_external_key on tags (account_no, external_key) where external_key is not null;

create table device_tags (
  tag_no int not null references tags on delete cascade,
  device_no int not null references devices on delete cascade,
  primary key (tag_no, device_no)
);
create index device_tags_device on device_tags (device_no);

-- A search of devices reads this table of small rows: names and URLs in lower case. The triggers keep it.
create table device_texts (
  device_no int primary key references devices on delete cascade,
  account_no int not null,
  short_name text not null,                   -- as it is, for the order of a list
  text text not null                          -- ShortName, FullName and URL, a line each
);

-- Every three neighbouring letters of a text (two or one at its end), after the number of the account: `7:abc`. Of a
-- text of more than 2,000 letters it has the first 2,000, and the mark `7+`. It needs no extension.
create function device_grams(account int, content text) returns tsvector
language plpgsql immutable strict parallel safe
cost 10000 -- A plan uses the index, and never makes the grams of each row.
as $$
declare letters text[] := string_to_array(left(content, 2000), null);
begin
  return array_to_tsvector(array(
    select account || ':' || a || coalesce(b, '') || coalesce(c, '') from unnest(letters, letters[2:], letters[3:]) as l (a, b, c)
    union all select account || '+' where length(content) > 2000));
end $$;

-- Which devices of the account may have this text in lower case? One or two letters are the begin of a gram. Of a
-- longer text every third gram is asked for, and the last one, so that each letter is in one of them.
create function device_gram_query(account int, search text) returns tsquery
language plpgsql immutable strict parallel safe
as $$
declare last int := greatest(length(search) - 2, 1);
begin
  return (
    select '(' || string_agg(quoted || case when length(search) < 3 then ':*' else '' end, ' & ') || ') | ''' || account || '+'''
    from (
      select '''' || replace(replace(account || ':' || substr(search, at, 3), '\', '\\'), '''', '''''') || '''' as quoted
      from generate_series(1, last) at where at % 3 = 1 or at = last) grams)::tsquery;
end $$;

-- A search reads what was not yet put in its place one by one, so that is kept short (kB).
create index device_texts_grams on device_texts using gin (device_grams(account_no, text)) with (gin_pending_list_limit = 1024);
-- Without statistics a plan expects few devices, and uses the index for every text.
alter index device_texts_grams alter column 1 set statistics 0;

create function keep_device_texts() returns trigger language plpgsql as $$
begin
  insert into device_texts (device_no, account_no, short_name, text)
  values (new.device_no, new.account_no, new.short_name,
    lower(new.short_name || chr(10) || coalesce(new.full_name, '') || chr(10) || new.url))
  on conflict (device_no) do update
  set account_no = excluded.account_no, short_name = excluded.short_name, text = excluded.text;
  return null;
end $$;
create trigger devices_text_come after insert on devices for each row execute function keep_device_texts();
create trigger devices_text_change after update of account_no, short_name, full_name, url on devices for each row
  when ((old.account_no, old.short_name, old.full_name, old.url) is distinct from (new.account_no, new.short_name, new.full_name, new.url))
  execute function keep_device_texts();

-- The places of deleted devices in the order of creation: a client that pages goes on after such a device for a day.
create table deleted_devices (
  device_id text primary key,
  account_no int not null,
  device_no int not null,
  deleted_us bigint not null default extract(epoch from now()) * 1000000
);
create index deleted_devices_deleted on deleted_devices (deleted_us);
create function keep_deleted_devices() returns trigger language plpgsql as $$
begin
  delete from deleted_devices where deleted_us < extract(epoch from now() - interval '1 day') * 1000000;
  insert into deleted_devices (device_id, account_no, device_no) select device_id, account_no, device_no from gone;
  return null;
end $$;
create trigger devices_keep_deleted after delete on devices
  referencing old table as gone for each statement execute function keep_deleted_devices();

-- The history of assignments: at most one open span per (device, Location).
create table assignment_spans (
  device_no int not null references devices on delete cascade,
  agent_no int not null,
  location_no int not null,
  from_us bigint not null,
  to_us bigint null,
  rotation_index int not null,
  rotation_size int not null,
  retries_locally boolean not null,
  run_immediately boolean not null,
  -- It begins where the span of another connected agent ends, at a time that both agents know beforehand.
  handed_over boolean not null default false,
  primary key (device_no, from_us, agent_no)
);
create unique index assignment_spans_open on assignment_spans (device_no, location_no) where to_us is null;
create index assignment_spans_agent on assignment_spans (agent_no) where to_us is null;
-- The plan of a Location reads all of its open spans, also those of agents that are at another Location now.
create index assignment_spans_location on assignment_spans (location_no) where to_us is null;
-- Spans that end in a moment.
create index assignment_spans_ending on assignment_spans (agent_no, to_us) where to_us is not null;

-- Checks that the controller asks for beside the assignments: retries, checks now, traceroutes.
create table run_requests (
  run_request_id text primary key,
  kind text not null check (kind in ('Retry', 'Now', 'RetryDelegated')),
  device_no int not null references devices on delete cascade,
  agent_no int not null,
  location_no int not null,
  revision int not null,
  retry_id text null,
  attempt int not null default 0,
  not_before_us bigint not null default 0,
  deadline_us bigint not null,                -- after it another agent is asked
  created_us bigint not null,
  sent_us bigint null,
  answered_us bigint null,
  check_id text null,
  state text not null default 'Open' check (state in ('Open', 'Answered', 'Expired')),
  traceroute boolean not null default false
);
create index run_requests_open on run_requests (agent_no) where state = 'Open';
create index run_requests_deadline on run_requests (deadline_us) where state = 'Open';
create index run_requests_retry on run_requests (device_no, retry_id);


-- 5 checks -----------------------------------------------------------------------------------------------------------

-- A row for each check; its identity is (device, start, agent). Daily partitions are made ahead and dropped after the
-- retention. A row leaves out what the view `checks` makes again (docs/adr/0017-check-rows.md), so most columns are
-- null in most rows.
create table check_rows (
  device_no int not null,
  start_us bigint not null,
  agent_no int not null,
  location_no int null,                       -- null: location_small
  end_us bigint null,                         -- null: start and all phases, as the view adds them
  arrived_us bigint null,                     -- first arrival at a controller; null: start_us + arrived_after_us
  revision int null,                          -- null: revision_small
  attempt smallint null,                      -- null or 0: a scheduled check, k: the k-th retry
  code smallint not null,                     -- ResultCode
  perf smallint null,                         -- null or 0 Ok, 1 Slow, 2 Error
  block_ms real null,                         -- null: block_small, and so are the next ones
  dns_ms real null,
  connect_ms real null,
  ssl_ms real null,
  ttfb_ms real null,
  ttlb_ms real null,
  data_size double precision null,            -- null: data_bytes, or 0
  check_result text null,                     -- null: that of facts_no
  retry_id text null,
  run_request_id text null,
  extended jsonb null,
  behind_anchor boolean null,                 -- the check failed behind a silent anchor of its Location; null: no
  arrived_after_us int null,
  data_bytes int null,
  facts_no smallint null,                     -- check_facts of this device and day; null: the row has its own
  location_small smallint null,
  revision_small smallint null,
  block_small smallint null,                  -- microseconds - 32768, and so are the next ones
  dns_small smallint null,
  connect_small smallint null,
  ssl_small smallint null,
  ttfb_small smallint null,
  ttlb_small smallint null
) partition by range (start_us);
-- An entry needs 28 bytes: device and start are 16, and PostgreSQL splits full pages of such narrow entries at the end
-- of a device, not in the middle. Nothing is unique by this index: who inserts checks holds the locks of their devices
-- and asks for their keys first. Partitions of earlier versions get theirs in the background (db/narrow-key.ts).
create index check_rows_by_start on only check_rows (device_no, start_us) with (fillfactor = 100, deduplicate_items = off);
-- A list of a device's checks with a rare ResultCode must not read all its good ones. Good checks have no entry here.
create index checks_not_ok on check_rows (device_no, start_us desc, agent_no desc) where code <> 1;
-- Traceroutes of failed checks are found by checks_not_ok, those of good ones by this index.
create index checks_requested on check_rows (device_no, start_us desc, agent_no desc) where run_request_id is not null;

-- Texts and extended data that checks of a device repeat in a UTC day. Dropped with the checks of the day.
create table check_facts (
  device_no int not null,
  day_us bigint not null,
  facts_no smallint not null,
  digest bytea not null,                      -- of both as they came, so that a controller finds them again
  check_result text not null,
  extended jsonb null,
  primary key (device_no, day_us, facts_no)
);
create index check_facts_day on check_facts using brin (day_us);

-- The checks with all their columns: statements that read need not know what a row leaves out.
create view checks as
select device_no, start_us, agent_no, coalesce(location_no, location_small) as location_no,
  coalesce(end_us, start_us + floor((coalesce(dns_ms, ((dns_small + 32768)::float8 / 1000)::real, 0::real)::float8
    + coalesce(connect_ms, ((connect_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ssl_ms, ((ssl_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ttfb_ms, ((ttfb_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ttlb_ms, ((ttlb_small + 32768)::float8 / 1000)::real, 0::real)) * 1000 + 0.5::float8)::bigint) as end_us,
  coalesce(arrived_us, start_us + arrived_after_us) as arrived_us,
  coalesce(revision, revision_small) as revision, coalesce(attempt, 0::smallint) as attempt, code, coalesce(perf, 0::smallint) as perf,
  coalesce(block_ms, ((block_small + 32768)::float8 / 1000)::real, 0::real) as block_ms,
  coalesce(dns_ms, ((dns_small + 32768)::float8 / 1000)::real, 0::real) as dns_ms,
  coalesce(connect_ms, ((connect_small + 32768)::float8 / 1000)::real, 0::real) as connect_ms,
  coalesce(ssl_ms, ((ssl_small + 32768)::float8 / 1000)::real, 0::real) as ssl_ms,
  coalesce(ttfb_ms, ((ttfb_small + 32768)::float8 / 1000)::real, 0::real) as ttfb_ms,
  coalesce(ttlb_ms, ((ttlb_small + 32768)::float8 / 1000)::real, 0::real) as ttlb_ms,
  coalesce(data_size, data_bytes, 0)::float8 as data_size,
  coalesce(check_result, (select f.check_result from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no), '') as check_result,
  retry_id, run_request_id,
  case when extended is null and facts_no is not null then (select f.extended from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no) else extended end as extended,
  behind_anchor
from check_rows c;

-- What is written to the view becomes whole rows.
create function insert_check() returns trigger language plpgsql as $$
begin
  insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
    dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor)
  select new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor
  where not exists (select from check_rows where device_no = new.device_no and start_us = new.start_us and agent_no = new.agent_no);
  return case when found then new end;
end $$;
create trigger insert_check instead of insert on checks for each row execute function insert_check();

create function update_check() returns trigger language plpgsql as $$
begin
  update check_rows set (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
    connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor, arrived_after_us,
    data_bytes, facts_no, location_small, revision_small, block_small, dns_small, connect_small, ssl_small, ttfb_small, ttlb_small) =
    (new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor, null, null, null, null, null, null, null, null, null, null, null)
  where device_no = old.device_no and start_us = old.start_us and agent_no = old.agent_no;
  return case when found then new end;
end $$;
create trigger update_check instead of update on checks for each row execute function update_check();

-- The good checks of a device in a UTC day, packed (docs/adr/0018-packed-days.md). All other checks, and those of
-- younger days, are rows of `check_rows`.
create table packed_checks (
  device_no int not null references devices on delete cascade,
  day_us bigint not null,                     -- begin of the day
  checks int not null,
  first_us bigint not null,                   -- start of the first and of the last check
  last_us bigint not null,
  last_result text not null,                  -- check_result of the last check
  marks bytea not null,                       -- what names the checks
  facts bytea not null,                       -- all other columns
  primary key (device_no, day_us)
);
-- The bytes are compressed already.
alter table packed_checks alter column marks set storage external, alter column facts set storage external;
create index packed_checks_day on packed_checks (day_us);

-- Days whose partition of `check_rows` still has the space of packed checks.
create table days_to_compact (
  day_us bigint primary key
);

-- Diagnostics that came before their result. They move to the result when it arrives, or are deleted after a week.
create table pending_diagnostics (
  agent_no int not null,
  device_no int not null references devices on delete cascade,
  start_us bigint not null,
  extended jsonb not null,
  received_us bigint not null
);
create index pending_diagnostics_agent on pending_diagnostics (agent_no, received_us);
create index pending_diagnostics_received on pending_diagnostics (received_us);

-- How many checks were stored: sums that only grow, so that monitoring systems can take rates of them. Deleted devices,
-- agents and Locations stay counted. One row for each agent, because the batches of an agent are committed one after
-- the other and never wait for those of others.
create table check_counts (
  account_no int not null references accounts,
  location_no int not null,
  agent_no int not null,
  method text not null,
  code smallint not null,
  checks bigint not null,
  duration_ms double precision not null,      -- the sum of RequestTime
  primary key (account_no, location_no, agent_no, method, code)
) with (fillfactor = 50);

-- Roll-ups: counts and a latency histogram that can be merged. bucket_us is the begin of the hour or UTC day.
create table rollup_hourly (
  device_no int not null,
  bucket_us bigint not null,
  location_no int not null,
  checks int not null,                        -- regular ones: retries and checks on request are counted apart
  errors int not null,
  inconclusive int not null,
  sum_ms double precision not null,
  min_ms real not null,
  max_ms real not null,
  lost double precision not null default 0,   -- packets of PING: lost and sent
  sent double precision not null default 0,
  histogram int[] not null,                   -- pairs {bucket of the shared log scale, count}
  retries int not null default 0,
  on_request int not null default 0,
  primary key (device_no, bucket_us, location_no)
);
create table rollup_daily (like rollup_hourly including all);

-- Hours whose raw checks changed since they were rolled up.
create table rollup_dirty (
  bucket_us bigint primary key
);


-- 6 status -----------------------------------------------------------------------------------------------------------

-- The state of the fold: one row for each device, written on transitions only. The facts by which lists of devices are
-- filtered and sorted stand beside the status, in two indexes, so that a page reads its own rows only.
create table device_state (
  device_no int primary key references devices on delete cascade,
  version bigint not null default 0,
  -- Without coverage and maintenance.
  status text not null default 'Unknown' check (status in ('Up', 'Down', 'Unknown')),
  since_us bigint not null,
  retrying boolean not null default false,
  state jsonb not null,                       -- the state of libs/health
  -- The next ones are the device's. Whoever inserts the row writes them; triggers keep the last three.
  account_no int not null default 0,
  location_nos int[] not null default '{}',   -- of device_locations, ascending
  maintained_until_us bigint not null default 0,  -- the latest recorded end of a maintenance window
  -- Since when the device has its status, if one of its Locations has been online all the time.
  base_since_us bigint not null
    generated always as (case when status = 'Unknown' then since_us else greatest(since_us, maintained_until_us) end) stored,
  warnings jsonb null,                        -- how slow it is, how old its certificate: {"slowness", "certificate"}
  frequency_min int not null default 0        -- 0 while the device is paused
) with (fillfactor = 70);
create index device_state_retrying on device_state (device_no) where retrying;
create index device_state_not_up on device_state (device_no, status) where status <> 'Up';
create index device_state_list on device_state (account_no, location_nos, status, device_no) include (since_us, base_since_us);
create index device_state_since on device_state (account_no, location_nos, status, base_since_us, device_no);

-- How many devices of an account have these Locations, this status and this frequency: the sum of `devices`. So reading
-- totals and the load of a Location costs the same however many devices there are. A change adds a row and locks none;
-- every 64th joins the rows of its account.
create table device_counts (
  count_no bigint generated always as identity primary key,
  account_no int not null,
  location_nos int[] not null,
  status text not null,
  devices int not null,
  frequency_min int not null default 0
);
create index device_counts_account on device_counts (account_no);

create function join_device_counts(account int) returns void language sql as $$
  with gone as (
    delete from device_counts where count_no in (
      select count_no from device_counts where account_no = account for update skip locked)
    returning location_nos, status, frequency_min, devices)
  insert into device_counts (account_no, location_nos, status, frequency_min, devices)
  select account, location_nos, status, frequency_min, sum(devices) from gone group by 2, 3, 4 having sum(devices) <> 0
$$;
create function count_devices() returns trigger language plpgsql as $$
declare added int;
begin
  if tg_op = 'INSERT' then
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, count(*) from come where account_no <> 0 group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, -count(*) from gone where account_no <> 0 group by 1, 2, 3, 4;
  else
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, sum(devices) from (
      select account_no, location_nos, status, frequency_min, 1 as devices from come
      union all select account_no, location_nos, status, frequency_min, -1 from gone) changed
    where account_no <> 0 group by 1, 2, 3, 4 having sum(devices) <> 0;
  end if;
  get diagnostics added = row_count;
  if added > 0 and lastval() % 64 < added then
    perform join_device_counts(account_no) from device_counts where count_no = lastval();
  end if;
  return null;
end $$;
create trigger device_state_counts_come after insert on device_state
  referencing new table as come for each statement execute function count_devices();
create trigger device_state_counts_change after update on device_state
  referencing new table as come old table as gone for each statement execute function count_devices();
create trigger device_state_counts_go after delete on device_state
  referencing old table as gone for each statement execute function count_devices();

-- A row that was written without its facts gets them.
create function fill_device_state() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from come where account_no = 0 or frequency_min = 0) then return null; end if;
  update device_state s set account_no = d.account_no,
    location_nos = array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1),
    frequency_min = case when d.enabled then d.frequency_min else 0 end
  from come c join devices d using (device_no)
  where s.device_no = c.device_no and (c.account_no = 0 or c.frequency_min = 0 and d.enabled);
  return null;
end $$;
create trigger device_state_fill after insert on device_state
  referencing new table as come for each statement execute function fill_device_state();

create function keep_device_frequency() returns trigger language plpgsql as $$
begin
  update device_state set frequency_min = case when new.enabled then new.frequency_min else 0 end where device_no = new.device_no;
  return null;
end $$;
create trigger devices_keep_frequency after update of frequency_min, enabled on devices for each row
  when (old.frequency_min <> new.frequency_min or old.enabled <> new.enabled) execute function keep_device_frequency();

create function keep_device_location_nos() returns trigger language plpgsql as $$
begin
  -- Locked in the order of the numbers, so that two changes of many devices do not wait for each other.
  perform 1 from device_state where device_no in (select device_no from changed) order by device_no for no key update;
  update device_state s set location_nos = now.nos
  from (select c.device_no, array(select l.location_no from device_locations l where l.device_no = c.device_no order by 1) as nos
    from (select distinct device_no from changed) c) now
  where s.device_no = now.device_no and s.location_nos <> now.nos;
  return null;
end $$;
create trigger device_locations_come after insert on device_locations
  referencing new table as changed for each statement execute function keep_device_location_nos();
create trigger device_locations_go after delete on device_locations
  referencing old table as changed for each statement execute function keep_device_location_nos();

-- Status over time without coverage and maintenance. An interval ends where the device's next row begins.
create table status_intervals (
  device_no int not null references devices on delete cascade,
  from_us bigint not null,
  status text not null check (status in ('Up', 'Down', 'Unknown')),
  primary key (device_no, from_us)
);
-- Outages of an account: the Down intervals of its devices.
create index status_intervals_down on status_intervals (device_no, from_us desc) where status = 'Down';

-- The fold's state after each check that changed it. From such a checkpoint late results are folded again.
create table state_checkpoints (
  device_no int not null references devices on delete cascade,
  start_us bigint not null,
  agent_no int not null,
  state jsonb not null,
  primary key (device_no, start_us, agent_no)
);

-- Windows of maintenance schedules are made ahead. An occurrence has one window for each device, also when a user ended
-- it early.
create table maintenance_windows (
  window_no bigint generated always as identity primary key,
  device_no int not null references devices on delete cascade,
  source text not null default 'manual',
  from_us bigint not null,
  to_us bigint not null,
  end_notified boolean not null default false,
  mschedule_no int null references mschedules on delete set null,
  occurrence_us bigint null,                  -- when the schedule begins it
  end_on_first_ok boolean not null default false,
  reason text null,                           -- of a manual window, for people
  start_notified boolean not null default true  -- false: its MaintStart is recorded when it begins
);
create unique index maintenance_windows_occurrence on maintenance_windows (device_no, mschedule_no, occurrence_us);
create index maintenance_windows_device on maintenance_windows (device_no, to_us);
create index maintenance_windows_start_not_notified on maintenance_windows (from_us) where not start_notified;
create index maintenance_windows_end_not_notified on maintenance_windows (to_us) where not end_notified;
-- Windows that go on or begin later: with those whose end is not recorded, their devices are the exceptions of a list.
create index maintenance_windows_to on maintenance_windows (to_us);

create function keep_maintained_until() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from changed where end_notified) then return null; end if;
  perform 1 from device_state where device_no in (select device_no from changed where end_notified)
    order by device_no for no key update;
  update device_state s set maintained_until_us = now.until_us
  from (select c.device_no, coalesce((select max(w.to_us) from maintenance_windows w
      where w.device_no = c.device_no and w.end_notified), 0) as until_us
    from (select distinct device_no from changed where end_notified) c) now
  where s.device_no = now.device_no and s.maintained_until_us <> now.until_us;
  return null;
end $$;
create trigger maintenance_windows_come after insert on maintenance_windows
  referencing new table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_end after update on maintenance_windows
  referencing new table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_reopen after update on maintenance_windows
  referencing old table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_go after delete on maintenance_windows
  referencing old table as changed for each statement execute function keep_maintained_until();

-- The schedule whose windows a device has, and until when.
create table device_schedules (
  device_no int primary key references devices on delete cascade,
  mschedule_no int null,
  signature text not null,                    -- the settings of the schedule that its windows follow
  until_us bigint not null
);


-- 7 events and audit -------------------------------------------------------------------------------------------------

create table events (
  event_no bigint generated always as identity primary key,
  event_id text not null unique,
  account_no int not null,
  device_no int null references devices on delete cascade,
  at_us bigint not null,
  type text not null,
  status text not null,
  location_no int null,
  check_result text null,
  check_id text null,
  message text not null,
  duration_s bigint null,
  late boolean not null default false,
  recorded_us bigint not null                 -- when the controller recorded it
);
create index events_device on events (device_no, at_us desc, event_no desc);
create index events_account on events (account_no, at_us desc, event_no desc);

-- Each statement that inserts events sends notifications with the accounts of these events, so that event streams need
-- not poll. A notification holds 8,000 bytes, so one names 500 accounts at most.
create function notify_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('vantage_events', json_build_object('account_nos', json_agg(account_no))::text)
  from (select account_no, (row_number() over (order by account_no) - 1) / 500 as part
    from (select distinct account_no from fresh) as accounts) as parts
  group by part;
  return null;
end $$;
create trigger events_notify after insert on events
  referencing new table as fresh for each statement execute function notify_events();

-- The places of events that were deleted with their device: a client that pages an account's events goes on before such
-- an event for a day.
create table deleted_events (
  event_id text primary key,
  account_no int not null,
  at_us bigint not null,
  event_no bigint not null,
  deleted_us bigint not null default extract(epoch from now()) * 1000000
);
create index deleted_events_deleted on deleted_events (deleted_us);
create function keep_deleted_events() returns trigger language plpgsql as $$
begin
  delete from deleted_events where deleted_us < extract(epoch from now() - interval '1 day') * 1000000;
  insert into deleted_events (event_id, account_no, at_us, event_no)
  select event_id, account_no, at_us, event_no from gone;
  return null;
end $$;
create trigger events_keep_deleted after delete on events
  referencing old table as gone for each statement execute function keep_deleted_events();

-- Who changed what in the catalog. The transaction that makes a change writes its row; rows are kept like events, also
-- after the thing is deleted.
create table audit (
  audit_no bigint generated always as identity primary key,
  audit_id text not null unique,
  account_no int not null,
  at_us bigint not null,
  actor text not null,                        -- the key's name, or 'command line'
  address text null,                          -- of the caller; null: the command line
  action text not null check (action in ('create', 'update', 'delete')),
  kind text not null,
  id text not null,
  changes jsonb not null                      -- [{"Field", "Old", "New"}] without secrets, as the API shows them
);
create index audit_account on audit (account_no, audit_no desc);


-- 8 contacts, alerts and notifications -------------------------------------------------------------------------------

-- Where notifications of alerts go.
create table contacts (
  contact_no int generated always as identity primary key,
  contact_id text not null unique,
  account_no int not null references accounts,
  external_key text null,
  name text not null,
  type text not null,                         -- a name in the registry of channels
  address text not null,                      -- as the API shows it: secrets masked
  sealed bytea not null,                      -- {"address", "secret", "previousSecret"}
  previous_secret_until_us bigint null,       -- a rotated secret also signs until then
  notify text[] null,                         -- kinds of notification; null: all
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),  -- its ETag must change with its secrets, which no answer shows
  -- Of a body that is a template: {"To", "Body", "ContentType", "SecretHeader"}, none of them secret.
  options jsonb null,
  shadow boolean not null default false       -- it gets nothing; what it would get is recorded
);
create index contacts_account on contacts (account_no, contact_no);
create unique index contacts_external_key on contacts (account_no, external_key) where external_key is not null;

-- One row for each contact that ever got a notification. Workers lock it while they claim or record attempts of the
-- contact.
create table contact_health (
  contact_no int primary key,
  account_no int not null,
  failures int not null default 0,            -- failed attempts since the last good one
  failing_since_us bigint null,
  failed_us bigint null,                      -- a notification failed for good, and none was delivered since
  grouping jsonb not null default '{}'        -- when the latest messages left, and when the next grouped one may
);

-- Decisions to notify people. A row is opened in the transaction of an event; any controller decides what follows.
create table alerts (
  alert_no bigint generated always as identity primary key,
  alert_id text not null unique,
  account_no int not null,
  kind text not null,
  device_no int null,                         -- the row stays when its device is deleted
  device_id text null,
  location_no int null,                       -- of the failure, or the Location that the alert is about
  agent_no int null,                          -- the agent that saw the device fail
  severity text not null,
  opened_us bigint not null,
  since_us bigint not null,                   -- begin of the outage as users see it
  closed_us bigint null,
  ended_up boolean not null default false,    -- it closed because the device was Up
  state jsonb not null,                       -- the state of libs/alerts
  phase text not null generated always as (state ->> 'phase') stored,
  active_us bigint null generated always as ((state ->> 'activeUs')::bigint) stored,
  request_id text null generated always as (state ->> 'requestId') stored,
  due_us bigint null,                         -- when it is decided again; null: never
  reason text null,                           -- why it is as it is, for people
  opening jsonb not null,                     -- facts of the event that opened it, for messages
  ending jsonb null,                          -- facts of the event that ended it
  acknowledged_us bigint null,
  acknowledged_by text null,
  acknowledged_note text null,
  snoozed_until_us bigint null
);
create index alerts_account_open on alerts (account_no, alert_no desc) where closed_us is null;
create index alerts_account on alerts (account_no, alert_no desc);
create index alerts_device on alerts (device_no, alert_no desc) where device_no is not null;
create index alerts_due on alerts (due_us) where due_us is not null;
create index alerts_request on alerts (request_id) where request_id is not null;
-- One open alert for each outage, each offline Location and each summary.
create unique index alerts_open_device on alerts (device_no, kind)
  where closed_us is null and kind in ('device.down', 'device.partial');
create unique index alerts_open_location on alerts (location_no, kind)
  where closed_us is null and kind in ('location.offline', 'late.summary');

-- One message to one contact each, and the attempts to deliver it. Workers of any controller lease them.
create table notifications (
  notification_no bigint generated always as identity primary key,
  notification_id text not null unique,       -- the receiver deduplicates by it: webhook-id, Message-ID
  account_no int not null,
  contact_no int not null,                    -- the row stays when the contact is deleted
  alert_no bigint null,
  order_key text not null,                    -- those of a contact with one key are delivered one after the other
  kind text not null,
  severity text not null,
  data jsonb not null,                        -- facts for the message, without secrets
  at_us bigint not null,
  created_us bigint not null,
  state text not null default 'Pending' check (state in ('Pending', 'Delivered', 'Failed', 'Withdrawn', 'Shadow')),
  attempts int not null default 0,
  due_us bigint not null,                     -- no attempt before
  first_attempt_us bigint null,
  message jsonb null,                         -- made at the first attempt, sent by every attempt; null at the end
  leader_no bigint null,                      -- merged into the message of this notification
  lease_token text null,                      -- the attempt that runs
  lease_until_us bigint null,                 -- by the clock of the database
  ended_us bigint null,
  answer text null                            -- of the last attempt, for people
);
-- A claim reads the first notifications that are due to one contact, attempted ones and others apart. It costs the same
-- however many wait.
create index notifications_contact on notifications (contact_no, (least(attempts, 1)), due_us, notification_no)
  where state = 'Pending' and leader_no is null;
create index notifications_order on notifications (contact_no, order_key, notification_no) where state = 'Pending';
create index notifications_leader on notifications (leader_no) where leader_no is not null;
create index notifications_alert on notifications (alert_no) where alert_no is not null;
create index notifications_shadow on notifications (alert_no) where state = 'Shadow';


-- 9 controllers ------------------------------------------------------------------------------------------------------

create table controllers (
  controller_id text primary key,
  started_us bigint not null,
  last_seen_us bigint not null
);

create table leases (
  name text primary key,                      -- 'plan:<location_no>', 'roll-up', 'retention', ...
  holder text not null,
  epoch bigint not null,
  expires_us bigint not null
);

-- A value that the key of the key file sealed. A controller that starts with another key finds the difference.
create table sealing_key_proof (
  single boolean primary key default true check (single),
  sealed bytea not null
);

-- The progress of background jobs by name: 'roll-up' (hours before at_us are marked), 'roll-up doing <bucket>' (an hour
-- in work).
create table job_cursors (
  name text primary key,
  at_us bigint not null
);

-- Items (a device's hour, a device, a Location) for which a background job failed, with the reason. The job goes on
-- with the others. Kept for 30 days after the last failure, 100,000 rows at most.
create table job_quarantine (
  job text not null,
  item text not null,
  reason text not null,
  first_failed_us bigint not null,
  last_failed_us bigint not null,
  primary key (job, item)
);
create index job_quarantine_last on job_quarantine (last_failed_us);
