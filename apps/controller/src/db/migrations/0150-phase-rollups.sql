-- Phases of good checks: their sums (DNS, connect, TLS, first byte, last byte; milliseconds), and pairs
-- {slot of the log scale * 8 + number of the phase, count}. Null: rolled up before this migration.
alter table rollup_hourly add column phase_sums double precision[], add column phase_histogram smallint[];
alter table rollup_daily add column phase_sums double precision[], add column phase_histogram smallint[];
