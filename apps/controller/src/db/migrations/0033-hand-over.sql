-- An agent that is asked to end says so before it ends: its devices are handed over while it still checks them.
alter table agents add column leaving_since_us bigint null;

-- Begins where the span of another connected agent ends, at a time that both agents know beforehand.
alter table assignment_spans add column handed_over boolean not null default false;
-- Spans that end in a moment.
create index assignment_spans_ending on assignment_spans (agent_no, to_us) where to_us is not null;
