-- Diagnostics that came before their result. They move to the result when it arrives, or are deleted after a week.
create table evidence_waiting (
  agent_no int not null,
  device_no int not null references devices on delete cascade,
  start_us bigint not null,
  extended jsonb not null,
  received_us bigint not null
);
create index evidence_waiting_agent on evidence_waiting (agent_no, received_us);
create index evidence_waiting_received on evidence_waiting (received_us);
