-- People who sign in by e-mail and password. Each has a key that nobody holds: its level, name, sessions, limits and last use are the
-- person's, and the audit names it. Times are by the clock of the database, epoch microseconds.
create table users (
  user_no int generated always as identity primary key,
  user_id text not null unique,
  account_no int not null references accounts,
  key_no int not null unique references api_keys,
  email text not null,                        -- in small letters
  password_hash text null,                    -- scrypt$N$r$p$salt$hash; null: the invitation was not accepted yet
  invitation_hash bytea null unique,          -- SHA-256 of 256 random bits
  invitation_ends_us bigint null
);
create unique index users_email on users (email, account_no);
create index users_of_account on users (account_no, user_no);
