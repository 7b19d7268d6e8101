-- While a worker of a Citus cluster is away, new checks are held here, on the coordinator, and go to the workers when all of them are back
-- (docs/adr/0022-history-on-citus.md). `stored` is the row of `checks` as JSON.
create table held_checks (
  device_no int not null references devices on delete cascade,
  start_us bigint not null,
  agent_no int not null,
  stored jsonb not null,
  primary key (device_no, start_us, agent_no)
);
