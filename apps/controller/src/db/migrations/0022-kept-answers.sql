-- Answers that are kept for the repetition of a request (header Idempotency-Key), and requests that run outside a transaction.
create table kept_answers (
  answer_no bigint generated always as identity primary key,
  account_no int not null references accounts,
  request bytea not null,                     -- SHA-256 of verb, path and Idempotency-Key
  content bytea not null,                     -- SHA-256 of what else was sent: query, body, the key's level
  sealed bytea null,                          -- the answer, AES-256-GCM, key outside the database; null: the request runs
  size int not null,                          -- bytes of `sealed`
  runs_until_us bigint null,                  -- a request that runs is given up then
  part_of bytea null,                         -- `request` of the batch that has it as an operation
  created_us bigint not null,
  unique (account_no, request)
);
create index kept_answers_newest on kept_answers (account_no, answer_no desc) include (size);
create index kept_answers_age on kept_answers (created_us);
