-- Where nothing but the agents of a few accounts disagrees with the clock, only those accounts hear of it.
alter table wrong_clocks add column account_nos int[];   -- null: every account hears of it
