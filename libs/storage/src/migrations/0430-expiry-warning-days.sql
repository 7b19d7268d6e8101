-- The numbers of days before the end of a certificate or domain at which its owner is warned, falling, with commas
-- between them. Null: those of the account, and of an account the standard ones. Empty: never.
alter table accounts add column expiry_warning_days text null;
alter table devices add column expiry_warning_days text null;
