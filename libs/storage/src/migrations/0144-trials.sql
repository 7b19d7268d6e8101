-- A check of settings that are not stored: one row while it runs. Its device number is above those of devices.
create sequence trial_numbers as int minvalue 2130706432 maxvalue 2147483646 cycle;
create table trials (
  device_no int primary key default nextval('trial_numbers'),
  run_request_id text not null unique,
  account_no int not null,
  agent_no int not null,
  device_id text not null,             -- the context of the seal; nothing else has it
  method text not null,
  sealed bytea not null,               -- URL and Options, as of a device
  timeout_s int not null,
  created_us bigint not null,
  deadline_us bigint not null,
  result jsonb null                    -- the agent's answer
);
create index trials_agent on trials (agent_no);
create index trials_account on trials (account_no);
