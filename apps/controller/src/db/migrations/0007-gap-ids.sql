-- An agent makes the ids of its gaps itself. They are unique for that agent, so no other agent can use up an id.
alter table gaps drop constraint gaps_pkey;
alter table gaps add primary key (agent_no, gap_id);
