-- The runs of controllers on runs of the database server, each with the last mark that it wrote. Agents and
-- controllers remember the marks too: a database that lacks one has gone back (docs/adr/0019-database-history.md).
create table database_epochs (
  epoch_id text primary key,
  server text not null,            -- names the run of the server and its tables
  mark bigint not null,
  began_us bigint not null,
  marked_us bigint not null
);
create index database_epochs_marked on database_epochs (marked_us);
