-- An agent makes its gaps' ids itself: they are unique for that agent, and no other agent can take one away.
alter table gaps drop constraint gaps_pkey;
alter table gaps add primary key (agent_no, gap_id);
