-- Records that ingest takes in again: it would have refused them for their time while a clock was wrong, or the operator
-- asked for it.
alter table quarantined add column waits boolean not null default false;
create index quarantined_waiting on quarantined (agent_no, quarantined_no) where waits;
