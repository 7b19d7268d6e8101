-- The progress of background jobs by name: 'roll-up' (hours before at_us are marked), 'roll-up doing <bucket>' (an hour in work).
create table positions (
  name text primary key,
  at_us bigint not null
);
