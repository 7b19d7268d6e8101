-- The step of the schedule that sent a message, from 1; null: it came by no step (an end, an acknowledgement), or an earlier version sent it.
alter table notifications add column step int;
