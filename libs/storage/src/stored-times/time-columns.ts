import { hourUs, minuteUs } from '@vantage/domain';

/** A rule for a stored time that is further ahead than it can be. */
export type TimeRule =
  /** Further ahead than this it is due now: the clock was ahead when it was stored. `where`: other rows do not wait. */
  | { readonly kind: 'due'; readonly maxAheadUs: number; readonly where?: string }
  /** It has passed: it is at most now. */
  | { readonly kind: 'past'; readonly where?: string }
  /** Its reader clamps it. */
  | { readonly kind: 'read'; readonly where: string }
  /** The database's clock writes and compares it. */
  | { readonly kind: 'database' }
  /** Nothing waits for it. */
  | { readonly kind: 'record' };

/** The longest wait of a message, a mail or an event for a receiver; alerts are decided again after this time. */
export const maxWaitUs = hourUs;
/** RetryDelay, and the longest sequence of checks after it. */
const maxRequestUs = 2 * hourUs;
/** A hand-over begins this much later at most. */
const maxHandOverUs = 10 * minuteUs;
/** The clocks of controllers may differ by this while one of them approaches the shared time. */
export const toleratedAheadUs = minuteUs;

const wait = { kind: 'due', maxAheadUs: maxWaitUs } as const;
const past = { kind: 'past' } as const;
const record = { kind: 'record' } as const;
const database = { kind: 'database' } as const;
const lease = { kind: 'read', where: 'apps/controller/src/alerts/deliver/sending/leases.ts' } as const;
const pending = "state = 'Pending'";
const open = "state = 'Open'";

/** THE list of stored times, by table and column. */
export const timeColumns: Readonly<Record<string, Readonly<Record<string, TimeRule>>>> = {
  agent_upgrades: { changed_us: past },
  agents: {
    last_seen_us: past,
    connected_us: past,
    away_since_us: past,
    leaving_since_us: past,
    token_expires_us: record,
    token_used_us: record,
    certificate_end_us: record,
    clock_offset_us: record,
  },
  alerts: {
    due_us: wait,
    since_us: { kind: 'past', where: 'closed_us is null' },
    opened_us: record,
    closed_us: record,
    active_us: record,
    acknowledged_us: record,
    snoozed_until_us: record,
  },
  api_keys: { expires_us: database },
  assignment_spans: {
    from_us: { kind: 'due', maxAheadUs: maxHandOverUs, where: 'to_us is null' },
    to_us: { kind: 'due', maxAheadUs: maxHandOverUs, where: 'to_us is not null' },
  },
  audit: { at_us: { kind: 'read', where: 'apps/controller/src/observe/audit/audit-stream.ts' } },
  authorities: { not_after_us: record },
  cancelled_occurrences: { occurrence_us: record },
  check_facts: { day_us: record },
  check_rows: { start_us: record, end_us: record, arrived_us: record },
  clock_evidence: {
    agreed_us: record,
    seen_us: record,
    latest_us: record,
    correction_us: record,
    applies_us: database,
  },
  clock_records: { at_us: record, offset_us: record, round_trip_us: record },
  connection_spans: { from_us: { kind: 'past', where: 'to_us is null' }, to_us: past },
  contact_health: {
    failing_since_us: past,
    failed_us: past,
    contact_seen_us: database,
    accepted_us: past,
  },
  contacts: { previous_secret_until_us: record },
  controllers: { started_us: past, last_seen_us: past },
  coverage: { from_us: record, to_us: record },
  database_epochs: { began_us: record, marked_us: record },
  database_moves: { at_us: record },
  days_to_compact: { day_us: record },
  deleted_devices: { deleted_us: database },
  deleted_events: { at_us: record, deleted_us: database },
  device_changes: { touched_us: past },
  device_marks: { at_us: database },
  device_schedules: {
    until_us: { kind: 'read', where: 'apps/controller/src/results/status/scheduled-window-store.ts' },
  },
  device_state: { since_us: record, maintained_until_us: record, base_since_us: record },
  devices: { changed_us: record, created_us: record, updated_us: record },
  events: { at_us: record, recorded_us: record },
  former_locations: { from_us: record, to_us: past },
  gaps: { from_us: record, to_us: record },
  hook_progress: {
    first_attempt_us: past,
    due_us: wait,
    lease_until_us: lease,
    failing_since_us: past,
    delivered_us: record,
  },
  hooks: { updated_us: database, created_us: database },
  installation_problems: { ends_us: database },
  installation_settings: { updated_us: past },
  job_cursors: { at_us: { kind: 'read', where: 'apps/controller/src/results/roll-up/rollup.ts' } },
  job_quarantine: { first_failed_us: past, last_failed_us: past },
  kept_answers: { runs_until_us: wait, created_us: past },
  key_uses: { used_us: database },
  last_backup: { at_us: past, verified_us: past },
  leases: { expires_us: { kind: 'read', where: 'libs/storage/src/jobs/lease.ts' } },
  left_tags: { left_us: database },
  locations: { online_since_us: past, offline_since_us: past },
  mails: { first_attempt_us: past, due_us: wait, lease_until_us: lease },
  marks: { at_us: record },
  maintenance_windows: { from_us: record, to_us: record, occurrence_us: record },
  notifications: {
    at_us: record,
    created_us: { kind: 'past', where: pending },
    due_us: { ...wait, where: pending },
    first_attempt_us: { kind: 'past', where: pending },
    lease_until_us: lease,
    ended_us: record,
    not_before_us: { ...wait, where: pending },
    receiver_contact_us: record,
  },
  outage_notes: { from_us: record },
  packed_checks: { day_us: record, first_us: record, last_us: record },
  packed_devices: { first_us: record, last_us: record },
  page_news: { notes_us: record, due_us: wait },
  page_subscribers: {
    asked_us: { kind: 'read', where: 'apps/controller/src/alerts/deliver/page-mails/subscription-store.ts' },
    confirmed_us: past,
  },
  pages: { updated_us: database, created_us: database },
  pending_diagnostics: { start_us: record, received_us: record },
  push_devices: {
    at_us: { kind: 'read', where: 'libs/health/src/heartbeats/heartbeat-state.ts' },
    judge_us: { kind: 'read', where: 'libs/health/src/heartbeats/heartbeat-state.ts' },
  },
  push_logs: { at_us: record },
  push_receivers: { from_us: past, to_us: past },
  quarantined: { received_us: record },
  report_progress: { stored_us: { kind: 'read', where: 'libs/domain/src/report/due-month.ts' } },
  reports: { created_us: record, updated_us: database },
  rollouts: { started_us: past, ended_us: record },
  rollup_daily: { bucket_us: record },
  rollup_dirty: { bucket_us: record },
  rollup_hourly: { bucket_us: record },
  run_requests: {
    not_before_us: { kind: 'due', maxAheadUs: maxRequestUs, where: open },
    deadline_us: { kind: 'due', maxAheadUs: maxRequestUs, where: open },
    created_us: { kind: 'past', where: open },
    sent_us: record,
    answered_us: record,
  },
  sessions: { began_us: database, used_us: database, ends_us: database },
  state_checkpoints: { start_us: record },
  status_intervals: { from_us: record },
  sum_differences: { day_us: record, found_us: past },
  trials: { created_us: record, deadline_us: wait },
  value_daily: { bucket_us: record },
  value_hourly: { bucket_us: record },
  users: { invitation_ends_us: database, proven_us: database },
};
