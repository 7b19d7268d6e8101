-- What manages a thing, such as the file of `vantage apply`; null: nothing.
alter table devices add column source text;
alter table tags add column source text;
alter table locations add column source text;
alter table contacts add column source text;
alter table nschedules add column source text;
alter table mschedules add column source text;
create index devices_source on devices (account_no, source) where source is not null;
