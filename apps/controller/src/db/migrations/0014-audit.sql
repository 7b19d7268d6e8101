-- Who changed what in the catalog. The transaction that makes a change writes its row; rows are kept like events, also after the thing is deleted.
create table audit (
  audit_no bigint generated always as identity primary key,
  audit_id text not null unique,
  account_no int not null,
  at_us bigint not null,
  actor text not null,                        -- the key's name, or 'command line'
  address text null,                          -- of the caller; null: the command line
  action text not null check (action in ('create', 'update', 'delete')),
  kind text not null,
  id text not null,
  changes jsonb not null                      -- [{"Field", "Old", "New"}] without secrets, as the API shows them
);
create index audit_account on audit (account_no, audit_no desc);
