-- The Locations that an agent had before it was moved, each with its time. Its present Location is in agents.
create table former_locations (
  agent_no int not null references agents,
  location_no int not null references locations,
  from_us bigint not null,                    -- 0: since the agent exists
  to_us bigint not null,                      -- when it was moved away; not included
  primary key (agent_no, to_us)
);
create index former_locations_location on former_locations (location_no);
-- The plan of a Location reads all of its open spans, also those of agents that are at another Location now.
create index assignment_spans_location on assignment_spans (location_no) where to_us is null;
create index connection_spans_open on connection_spans (agent_no) where to_us is null;
