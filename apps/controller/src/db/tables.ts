import type { ColumnType, Generated, GeneratedAlways, Insertable, Selectable } from 'kysely';

/** A jsonb column: read parsed, written as JSON text (a JavaScript array would become a PostgreSQL array). */
export type Jsonb<T = unknown> = ColumnType<T, string, string>;
/** A jsonb column that has a default. */
export type JsonbDefault<T = unknown> = ColumnType<T, string | undefined, string>;
/** A timestamptz column with a default. */
export type Stamp = ColumnType<Date, Date | string | undefined, Date | string>;
/** A nullable column. */
type Maybe<T> = T | null;
/** A nullable timestamptz column. */
type MaybeStamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;

/** The tables, as the migrations make them. `…_us` columns are microseconds since 1970; bigint is read as number. */
export interface Tables {
  accounts: {
    account_no: GeneratedAlways<number>;
    account_id: string;
    name: string;
    timezone: Generated<string>;
    default_location_ids: Maybe<string[]>;
    nschedule_no: Maybe<number>;
    created_at: Stamp;
  };
  api_keys: {
    key_no: GeneratedAlways<number>;
    key_id: string;
    account_no: number;
    name: Generated<string>;
    key_hash: Uint8Array;
    hint: string;
    level: 'UW' | 'UR';
    basic_user: Maybe<string>;
    basic_hash: Maybe<string>;
    created_at: Stamp;
    revoked_at: MaybeStamp;
  };
  nschedules: {
    nschedule_no: GeneratedAlways<number>;
    nschedule_id: string;
    account_no: number;
    name: string;
    timezone: Generated<string>;
    steps: JsonbDefault;
    created_at: Stamp;
  };
  mschedules: {
    mschedule_no: GeneratedAlways<number>;
    mschedule_id: string;
    account_no: number;
    name: string;
    timezone: Generated<string>;
    start_local: string;
    duration_s: number;
    recurrence: Maybe<string>;
    end_on_first_ok: Generated<boolean>;
    created_at: Stamp;
  };
  locations: {
    location_no: GeneratedAlways<number>;
    location_id: string;
    account_no: number;
    name: string;
    anchors: JsonbDefault;
    nschedule_no: Maybe<number>;
    public_targets_only: Generated<boolean>;
    online: Generated<boolean>;
    online_since_us: Maybe<number>;
    offline_since_us: Maybe<number>;
    offline_reason: Maybe<string>;
    created_at: Stamp;
  };
  agents: {
    agent_no: GeneratedAlways<number>;
    agent_id: string;
    account_no: number;
    location_no: number;
    name: string;
    token_hash: Uint8Array;
    state: Generated<'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked'>;
    version: Maybe<string>;
    host_name: Maybe<string>;
    boot_id: Maybe<string>;
    session_id: Maybe<string>;
    session_counter: Generated<number>;
    gateway_id: Maybe<string>;
    capacity: Generated<number>;
    last_seen_us: Maybe<number>;
    connected_us: Maybe<number>;
    away_since_us: Maybe<number>;
    clock_offset_us: Generated<number>;
    backlog_records: Generated<number>;
    lateness_p50_ms: Generated<number>;
    lateness_p99_ms: Generated<number>;
    checks_skipped: Generated<number>;
    offline_reason: Maybe<string>;
    created_at: Stamp;
    revoked_at: MaybeStamp;
  };
  devices: {
    device_no: GeneratedAlways<number>;
    device_id: string;
    account_no: number;
    method: string;
    url: string;
    options: JsonbDefault<Record<string, unknown>>;
    sealed: Uint8Array;
    host_data: ColumnType<unknown, string | null | undefined, string | null>;
    short_name: string;
    full_name: Maybe<string>;
    frequency_min: number;
    timeout_s: number;
    retries: number;
    retry_delay_s: number;
    nschedule_no: Maybe<number>;
    mschedule_no: Maybe<number>;
    master_no: Maybe<number>;
    locations_given: boolean;
    revision: Generated<number>;
    target_revision: Generated<number>;
    changed_us: number;
    warnings: Generated<string[]>;
    created_us: number;
    updated_us: number;
  };
  device_locations: { device_no: number; location_no: number; rotation_index: number };
  tags: {
    tag_no: GeneratedAlways<number>;
    tag_id: string;
    account_no: number;
    name: string;
    created_at: Stamp;
  };
  device_tags: { tag_no: number; device_no: number };
  sealing_key_proof: { single: Generated<boolean>; sealed: Uint8Array };
  secrets: {
    account_no: number;
    name: string;
    secret_id: string;
    sealed: Uint8Array;
    updated_at: Stamp;
  };
  checks: {
    device_no: number;
    start_us: number;
    agent_no: number;
    location_no: number;
    end_us: number;
    arrived_us: number;
    revision: number;
    attempt: number;
    code: number;
    perf: number;
    block_ms: number;
    dns_ms: number;
    connect_ms: number;
    ssl_ms: number;
    ttfb_ms: number;
    ttlb_ms: number;
    data_size: number;
    check_result: string;
    retry_id: Maybe<string>;
    run_request_id: Maybe<string>;
    extended: ColumnType<unknown, string | null | undefined, string | null>;
  };
  quarantined: {
    quarantined_no: GeneratedAlways<number>;
    agent_no: number;
    received_us: number;
    reason: string;
    record: Jsonb;
  };
  device_state: {
    device_no: number;
    version: Generated<number>;
    status: Generated<'Up' | 'Down' | 'Unknown'>;
    since_us: number;
    retrying: Generated<boolean>;
    state: Jsonb;
  };
  status_intervals: {
    device_no: number;
    from_us: number;
    status: 'Up' | 'Down' | 'Unknown';
  };
  state_checkpoints: { device_no: number; start_us: number; agent_no: number; state: Jsonb };
  events: {
    event_no: GeneratedAlways<number>;
    event_id: string;
    account_no: number;
    device_no: Maybe<number>;
    at_us: number;
    type: string;
    status: string;
    location_no: Maybe<number>;
    check_result: Maybe<string>;
    check_id: Maybe<string>;
    message: string;
    duration_s: Maybe<number>;
    late: Generated<boolean>;
    recorded_us: number;
  };
  maintenance_windows: {
    window_no: GeneratedAlways<number>;
    device_no: number;
    source: Generated<string>;
    from_us: number;
    to_us: number;
    end_notified: Generated<boolean>;
  };
  coverage: { agent_no: number; from_us: number; to_us: number };
  gaps: {
    gap_id: string;
    agent_no: number;
    from_us: number;
    to_us: number;
    dropped_results: number;
    reason: string;
  };
  pending_diagnostics: {
    agent_no: number;
    device_no: number;
    start_us: number;
    extended: unknown;
    received_us: number;
  };
  clock_records: { agent_no: number; at_us: number; offset_us: number; round_trip_us: number };
  assignment_spans: {
    device_no: number;
    agent_no: number;
    location_no: number;
    from_us: number;
    to_us: Maybe<number>;
    rotation_index: number;
    rotation_size: number;
    retries_locally: boolean;
    run_immediately: boolean;
  };
  connection_spans: {
    agent_no: number;
    location_no: number;
    from_us: number;
    to_us: Maybe<number>;
    session_id: string;
  };
  controllers: { controller_id: string; started_us: number; last_seen_us: number };
  leases: { name: string; holder: string; epoch: number; expires_us: number };
  run_requests: {
    run_request_id: string;
    kind: 'Retry' | 'Now' | 'RetryDelegated';
    device_no: number;
    agent_no: number;
    location_no: number;
    revision: number;
    retry_id: Maybe<string>;
    attempt: Generated<number>;
    not_before_us: Generated<number>;
    deadline_us: number;
    created_us: number;
    sent_us: Maybe<number>;
    answered_us: Maybe<number>;
    check_id: Maybe<string>;
    state: Generated<'Open' | 'Answered' | 'Expired'>;
  };
  rollup_hourly: Rollup;
  rollup_daily: Rollup;
  rollup_dirty: { bucket_us: number };
  job_cursors: { name: string; at_us: number };
  job_quarantine: {
    job: string;
    item: string;
    reason: string;
    first_failed_us: number;
    last_failed_us: number;
  };
}

interface Rollup {
  device_no: number;
  bucket_us: number;
  location_no: number;
  checks: number;
  errors: number;
  inconclusive: number;
  sum_ms: number;
  min_ms: number;
  max_ms: number;
  lost: Generated<number>;
  sent: Generated<number>;
  /** Pairs [bucket of the shared log scale, count], ascending; empty buckets are left out. */
  histogram: number[][];
}

/** A row as it is read. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
/** A row as it is written. */
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
