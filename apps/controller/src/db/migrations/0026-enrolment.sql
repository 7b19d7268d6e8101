-- Certificate authorities: they sign the certificates of agents and of the controllers. All that are not over are trusted.
create table authorities (
  authority_no int generated always as identity primary key,
  certificate text not null unique,           -- PEM
  sealed bytea not null,                      -- its key and the key of the controllers' certificates, AES-256-GCM, key outside the database
  not_after_us bigint not null
);

-- A token enrols one agent, once. Null in token_expires_us: a token from before enrolment, which also opens streams until the agent has enrolled.
alter table agents
  add column token_expires_us bigint null,
  add column token_used_us bigint null,
  add column key_hash bytea null unique,      -- SHA-256 of the agent's public key (SubjectPublicKeyInfo)
  add column certificate text null,           -- the newest one, PEM
  add column certificate_end_us bigint null;
