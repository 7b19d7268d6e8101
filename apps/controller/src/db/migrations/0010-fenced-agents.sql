-- An agent whose copy was seen may not connect, nor may the copy, until an operator lifts it.
alter table agents drop constraint agents_state_check;
alter table agents add constraint agents_state_check
  check (state in ('New', 'Connected', 'Away', 'Fenced', 'Revoked'));
