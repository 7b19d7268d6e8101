-- The newest records of each agent of an account: the API lists them by reason.
create index quarantined_agent on quarantined (agent_no, quarantined_no desc);
