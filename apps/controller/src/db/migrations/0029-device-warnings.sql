-- What is remembered between the checks of a device that is slow or whose certificate expires: {"slowness", "certificate"}. Null: neither.
alter table device_state add column warnings jsonb null;
