-- A token enrols one agent, once, until its end. Those of version 0.1.0 had none, and opened streams: they ended when they were made.
update agents set token_expires_us = (extract(epoch from created_at) * 1000000)::bigint where token_expires_us is null;
alter table agents alter column token_expires_us set not null;
