-- When two processes use the identity of an agent, neither may connect until an operator lifts the fence.
alter table agents drop constraint agents_state_check;
alter table agents add constraint agents_state_check
  check (state in ('New', 'Connected', 'Away', 'Fenced', 'Revoked'));
