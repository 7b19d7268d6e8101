-- Somebody else may invite an address first, and sign in with a password of their own choice. Only a proxy or provider that names the
-- address proves that its owner came in to this account. Epoch microseconds by the clock of the database; null: never.
alter table users add column proven_us bigint null;
