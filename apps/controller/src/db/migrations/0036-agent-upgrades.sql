-- What an agent says about upgrading itself. Null in both: an agent of a version that cannot.
alter table agents
  add column architecture text null,          -- the parcel that its host needs: amd64, arm64
  add column upgrade_fault text null;         -- why it cannot upgrade itself

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
