-- The data path: results and everything derived from them. Times are microseconds since 1970 (bigint). device_no is first in every big key.

-- One row a check; its identity is (device, start, agent). Daily partitions are made ahead and dropped after the retention.
create table checks (
  device_no int not null,
  start_us bigint not null,
  agent_no int not null,
  location_no int not null,
  end_us bigint not null,                     -- start and all phases
  arrived_us bigint not null,                 -- first arrival at a controller
  revision int not null,
  attempt smallint not null,                  -- 0: a scheduled check, k: the k-th retry
  code smallint not null,                     -- ResultCode
  perf smallint not null,                     -- 0 Ok, 1 Slow, 2 Error
  block_ms real not null,
  dns_ms real not null,
  connect_ms real not null,
  ssl_ms real not null,
  ttfb_ms real not null,
  ttlb_ms real not null,
  data_size double precision not null,
  check_result text not null,
  chain_id text null,
  order_id text null,
  extended jsonb null,
  primary key (device_no, start_us, agent_no)
) partition by range (start_us);

-- Records that the controller could not accept, with the reason. Kept 30 days, 100,000 rows at most.
create table set_aside (
  set_aside_no bigint generated always as identity primary key,
  agent_no int not null,
  received_us bigint not null,
  reason text not null,
  record jsonb not null
);

-- The state of the fold: one row a device, written on transitions only.
create table device_state (
  device_no int primary key references devices on delete cascade,
  version bigint not null default 0,
  status text not null default 'Unknown' check (status in ('Up', 'Down', 'Unknown')),  -- without coverage and maintenance
  since_us bigint not null,
  retrying boolean not null default false,
  state jsonb not null                        -- the state of libs/health
) with (fillfactor = 70);
create index device_state_retrying on device_state (device_no) where retrying;
create index device_state_not_up on device_state (device_no, status) where status <> 'Up';

-- Status over time without coverage and maintenance. An interval ends where the device's next row begins.
create table status_intervals (
  device_no int not null references devices on delete cascade,
  from_us bigint not null,
  status text not null check (status in ('Up', 'Down', 'Unknown')),
  primary key (device_no, from_us)
);

-- The fold's state after each check that changed it. From such a checkpoint late results are folded again.
create table fold_points (
  device_no int not null references devices on delete cascade,
  start_us bigint not null,
  agent_no int not null,
  state jsonb not null,
  primary key (device_no, start_us, agent_no)
);

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
  told_us bigint not null                     -- when the controller recorded it
);
create index events_device on events (device_no, at_us desc, event_no desc);
create index events_account on events (account_no, at_us desc, event_no desc);

create table maintenance_windows (
  window_no bigint generated always as identity primary key,
  device_no int not null references devices on delete cascade,
  source text not null default 'manual',
  from_us bigint not null,
  to_us bigint not null,
  end_told boolean not null default false
);
create index maintenance_windows_device on maintenance_windows (device_no, to_us);
create index maintenance_windows_untold on maintenance_windows (to_us) where not end_told;

-- Spans in which an agent ran everything that was due. Adjacent spans are joined.
create table coverage (
  agent_no int not null,
  from_us bigint not null,
  to_us bigint not null,
  primary key (agent_no, from_us)
);
create table gaps (
  gap_id text primary key,
  agent_no int not null,
  from_us bigint not null,
  to_us bigint not null,
  dropped int not null,
  reason text not null
);
create index gaps_agent on gaps (agent_no, from_us);
create table clock_records (
  agent_no int not null,
  at_us bigint not null,
  offset_us bigint not null,
  round_trip_us bigint not null,
  primary key (agent_no, at_us)
);

-- The history of assignments: at most one open span per (device, Location).
create table assignment_spans (
  device_no int not null references devices on delete cascade,
  agent_no int not null,
  location_no int not null,
  from_us bigint not null,
  to_us bigint null,
  turn int not null,
  turns int not null,
  runs_chain boolean not null,
  first_look boolean not null,
  primary key (device_no, from_us, agent_no)
);
create unique index assignment_spans_open on assignment_spans (device_no, location_no) where to_us is null;
create index assignment_spans_agent on assignment_spans (agent_no) where to_us is null;

-- Spans in which an agent's stream was open.
create table connection_spans (
  agent_no int not null,
  location_no int not null,
  from_us bigint not null,
  to_us bigint null,
  session_id text not null primary key
);
create index connection_spans_agent on connection_spans (agent_no, from_us);

create table controllers (
  controller_id text primary key,
  started_us bigint not null,
  last_seen_us bigint not null
);
create table leases (
  name text primary key,                      -- 'plan:<location_no>', 'roll-up', 'retention', 'observe', ...
  holder text not null,
  epoch bigint not null,
  expires_us bigint not null
);

-- Run requests: checks that the controller asks for beside the assignments (retries, checks now).
create table orders (
  order_id text primary key,
  kind text not null check (kind in ('Retry', 'Now', 'ChainTaken')),
  device_no int not null references devices on delete cascade,
  agent_no int not null,
  location_no int not null,
  revision int not null,
  chain_id text null,
  attempt int not null default 0,
  not_before_us bigint not null default 0,
  deadline_us bigint not null,                -- after it another agent is asked
  created_us bigint not null,
  sent_us bigint null,
  answered_us bigint null,
  check_id text null,
  state text not null default 'Open' check (state in ('Open', 'Answered', 'Expired'))
);
create index orders_open on orders (agent_no) where state = 'Open';
create index orders_deadline on orders (deadline_us) where state = 'Open';
create index orders_chain on orders (device_no, chain_id);

-- Roll-ups: count, errors and a latency histogram that can be merged. bucket_us is the begin of the hour or UTC day.
create table rollup_hourly (
  device_no int not null,
  bucket_us bigint not null,
  location_no int not null,
  checks int not null,
  errors int not null,
  abstained int not null,
  sum_ms double precision not null,
  min_ms real not null,
  max_ms real not null,
  lost double precision not null default 0,   -- packets of PING: lost and sent
  sent double precision not null default 0,
  histogram int[] not null,                   -- pairs {bucket of the shared log scale, count}
  primary key (device_no, bucket_us, location_no)
);
create table rollup_daily (like rollup_hourly including all);
-- Hours whose raw checks changed since they were rolled up.
create table rollup_dirty (
  bucket_us bigint primary key
);
