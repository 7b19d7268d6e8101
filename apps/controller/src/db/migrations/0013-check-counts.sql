-- How many checks were stored: sums that only grow, so that monitoring systems can take rates of them. Deleted devices, agents and Locations stay counted.
-- One row for each agent, because the batches of an agent are committed one after the other and never wait for those of others.
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
