-- The agent asks the device what it offers to watch, instead of checking it.
alter table trials add column is_offer boolean not null default false;
