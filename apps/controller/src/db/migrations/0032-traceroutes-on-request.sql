-- Traceroutes on request: agents say that they can, and run requests ask for them.
alter table agents add column traces_on_request boolean not null default false;
alter table run_requests add column traceroute boolean not null default false;
-- Traceroutes of failed checks are found by checks_not_ok, those of good ones by this index.
create index checks_requested on checks (device_no, start_us desc, agent_no desc) where run_request_id is not null;
