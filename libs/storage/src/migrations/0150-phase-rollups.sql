-- Phases of good checks: their sums (DNS, connect, TLS, first byte, last byte; milliseconds), and their histograms: 4 bytes
-- for each entry, slot of the log scale * 8 + number of the phase, then the count, ascending. Null: rolled up before.
alter table rollup_hourly add column phase_sums double precision[], add column phase_histogram bytea;
alter table rollup_daily add column phase_sums double precision[], add column phase_histogram bytea;
