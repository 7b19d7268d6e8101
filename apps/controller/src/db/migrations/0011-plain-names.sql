-- The words of docs/glossary.md for tables, columns and kinds. Nothing but names changes.
alter table locations rename column observing to online;
alter table locations rename column observing_since_us to online_since_us;
alter table locations rename column blind_since_us to offline_since_us;
alter table locations rename column blind_reason to offline_reason;
alter table agents rename column blind_reason to offline_reason;
alter table device_locations rename column turn to rotation_index;

alter table checks rename column chain_id to retry_id;
alter table checks rename column order_id to run_request_id;

alter table set_aside rename to quarantined;
alter table quarantined rename column set_aside_no to quarantined_no;
alter index set_aside_pkey rename to quarantined_pkey;
alter sequence set_aside_set_aside_no_seq rename to quarantined_quarantined_no_seq;

alter table fold_points rename to state_checkpoints;
alter index fold_points_pkey rename to state_checkpoints_pkey;
alter table state_checkpoints rename constraint fold_points_device_no_fkey to state_checkpoints_device_no_fkey;

alter table events rename column told_us to recorded_us;
alter trigger events_told on events rename to events_notify;
alter function tell_events() rename to notify_events;

alter table maintenance_windows rename column end_told to end_notified;
alter index maintenance_windows_untold rename to maintenance_windows_end_not_notified;

alter table gaps rename column dropped to dropped_results;

alter table evidence_waiting rename to pending_diagnostics;
alter index evidence_waiting_agent rename to pending_diagnostics_agent;
alter index evidence_waiting_received rename to pending_diagnostics_received;
alter table pending_diagnostics rename constraint evidence_waiting_device_no_fkey to pending_diagnostics_device_no_fkey;

alter table assignment_spans rename column turn to rotation_index;
alter table assignment_spans rename column turns to rotation_size;
alter table assignment_spans rename column runs_chain to retries_locally;
alter table assignment_spans rename column first_look to run_immediately;

alter table orders rename to run_requests;
alter table run_requests rename column order_id to run_request_id;
alter table run_requests rename column chain_id to retry_id;
alter table run_requests drop constraint orders_kind_check;
update run_requests set kind = 'RetryDelegated' where kind = 'ChainTaken';
alter table run_requests add constraint run_requests_kind_check check (kind in ('Retry', 'Now', 'RetryDelegated'));
alter table run_requests rename constraint orders_state_check to run_requests_state_check;
alter table run_requests rename constraint orders_device_no_fkey to run_requests_device_no_fkey;
alter index orders_pkey rename to run_requests_pkey;
alter index orders_open rename to run_requests_open;
alter index orders_deadline rename to run_requests_deadline;
alter index orders_chain rename to run_requests_retry;

alter table rollup_hourly rename column abstained to inconclusive;
alter table rollup_daily rename column abstained to inconclusive;

alter table positions rename to job_cursors;
alter index positions_pkey rename to job_cursors_pkey;

alter table seal_check rename to sealing_key_proof;
alter index seal_check_pkey rename to sealing_key_proof_pkey;
alter table sealing_key_proof rename constraint seal_check_single_check to sealing_key_proof_single_check;

delete from leases where name = 'upkeep';

update job_quarantine set job = 'retry deadlines' where job = 'chain deadlines';
update job_quarantine set job = 'offline Locations' where job = 'blind Locations';
