// Made by `npm run gen:db` from the migrated schema; never edit it.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Read parsed, written as JSON text. */
type Jsonb = ColumnType<unknown, string, string>;

/** The tables of the data path. */
export interface DataTables {
  agent_upgrades: {
    agent_no: number;
    upgrade_id: string;
    rollout_no: number;
    version: string;
    state: Generated<'Waiting' | 'Started' | 'Downloading' | 'Restarting' | 'Done' | 'Failed' | 'Stopped'>;
    reason: string | null;
    changed_us: number;
  };
  alerts: {
    alert_no: GeneratedAlways<number>;
    alert_id: string;
    account_no: number;
    kind: string;
    device_no: number | null;
    device_id: string | null;
    location_no: number | null;
    agent_no: number | null;
    severity: string;
    opened_us: number;
    since_us: number;
    closed_us: number | null;
    ended_up: Generated<boolean>;
    state: Jsonb;
    phase: Generated<string>;
    active_us: Generated<number>;
    request_id: Generated<string>;
    due_us: number | null;
    reason: string | null;
    opening: Jsonb;
    ending: Jsonb | null;
    acknowledged_us: number | null;
    acknowledged_by: string | null;
    acknowledged_note: string | null;
    snoozed_until_us: number | null;
    gone_short_name: string | null;
    gone_full_name: string | null;
  };
  assignment_spans: {
    device_no: number;
    agent_no: number;
    location_no: number;
    from_us: number;
    to_us: number | null;
    rotation_index: number;
    rotation_size: number;
    retries_locally: boolean;
    run_immediately: boolean;
    handed_over: Generated<boolean>;
  };
  audit: {
    audit_no: GeneratedAlways<number>;
    audit_id: string;
    account_no: number;
    at_us: number;
    actor: string;
    address: string | null;
    action: 'create' | 'update' | 'delete' | 'refuse';
    kind: string;
    id: string;
    changes: Jsonb;
  };
  authorities: {
    authority_no: GeneratedAlways<number>;
    certificate: string;
    sealed: Uint8Array;
    not_after_us: number;
  };
  cancelled_occurrences: {
    mschedule_no: number;
    occurrence_us: number;
  };
  check_counts: {
    account_no: number;
    location_no: number;
    agent_no: number;
    method: string;
    code: number;
    checks: number;
    duration_ms: number;
  };
  check_facts: {
    device_no: number;
    day_us: number;
    facts_no: number;
    digest: Uint8Array;
    check_result: string;
    extended: Jsonb | null;
  };
  check_rows: {
    device_no: number;
    start_us: number;
    agent_no: number;
    location_no: number | null;
    end_us: number | null;
    arrived_us: number | null;
    revision: number | null;
    attempt: number | null;
    code: number;
    perf: number | null;
    block_ms: number | null;
    dns_ms: number | null;
    connect_ms: number | null;
    ssl_ms: number | null;
    ttfb_ms: number | null;
    ttlb_ms: number | null;
    data_size: number | null;
    check_result: string | null;
    retry_id: string | null;
    run_request_id: string | null;
    extended: Jsonb | null;
    behind_anchor: boolean | null;
    arrived_after_us: number | null;
    data_bytes: number | null;
    facts_no: number | null;
    location_small: number | null;
    revision_small: number | null;
    block_small: number | null;
    dns_small: number | null;
    connect_small: number | null;
    ssl_small: number | null;
    ttfb_small: number | null;
    ttlb_small: number | null;
    measured: (number | null)[] | null;
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
    retry_id: string | null;
    run_request_id: string | null;
    extended: Jsonb | null;
    behind_anchor: boolean | null;
    measured: (number | null)[] | null;
  };
  clock_evidence: {
    one: Generated<boolean>;
    agreed_us: number;
    seen_us: number;
    correction_us: Generated<number>;
    correction_no: Generated<number>;
    applies_us: Generated<number>;
    latest_us: Generated<number>;
  };
  clock_records: {
    agent_no: number;
    at_us: number;
    offset_us: number;
    round_trip_us: number;
  };
  connection_spans: {
    agent_no: number;
    location_no: number;
    from_us: number;
    to_us: number | null;
    session_id: string;
  };
  contact_health: {
    contact_no: number;
    account_no: number;
    failures: Generated<number>;
    failing_since_us: number | null;
    failed_us: number | null;
    grouping: Generated<Jsonb>;
    last_answer: string | null;
    contact_seen_us: number | null;
    accepted_us: number | null;
  };
  controllers: {
    controller_id: string;
    started_us: number;
    last_seen_us: number;
    signed_parcels: Jsonb | null;
  };
  copy_changes: {
    xid: number;
    table_name: string;
    key: Jsonb;
  };
  coverage: {
    agent_no: number;
    from_us: number;
    to_us: number;
  };
  database_epochs: {
    epoch_id: string;
    server: string;
    mark: number;
    began_us: number;
    marked_us: number;
  };
  database_moves: {
    single: Generated<boolean>;
    state: 'copying' | 'moved' | 'unfinished' | 'prepared' | 'arrived';
    copy_id: string;
    at_us: number;
    target: string;
    sealed: Uint8Array | null;
  };
  days_to_compact: {
    day_us: number;
  };
  deleted_devices: {
    device_id: string;
    account_no: number;
    device_no: number;
    deleted_us: Generated<number>;
  };
  deleted_events: {
    event_id: string;
    account_no: number;
    at_us: number;
    event_no: number;
    deleted_us: Generated<number>;
  };
  device_changes: {
    token: string;
    account_no: number;
    key_no: number;
    touched_us: number;
    request: string;
    device_nos: number[];
    place: Generated<number>;
    changed: Generated<number>;
    refused: Generated<Jsonb>;
    state: Generated<'Previewed' | 'Running' | 'Done'>;
  };
  device_counts: {
    count_no: GeneratedAlways<number>;
    account_no: number;
    location_nos: number[];
    status: string;
    devices: number;
    frequency_min: Generated<number>;
  };
  device_marks: {
    account_no: number;
    device_no: number;
    xid: number;
    at_us: number;
  };
  device_schedules: {
    device_no: number;
    mschedule_no: number | null;
    signature: string;
    until_us: number;
  };
  device_state: {
    device_no: number;
    version: Generated<number>;
    status: Generated<'Up' | 'Down' | 'Unknown'>;
    since_us: number;
    retrying: Generated<boolean>;
    state: Jsonb;
    account_no: Generated<number>;
    location_nos: Generated<number[]>;
    maintained_until_us: Generated<number>;
    base_since_us: Generated<number>;
    warnings: Jsonb | null;
    frequency_min: Generated<number>;
  };
  device_texts: {
    device_no: number;
    account_no: number;
    short_name: string;
    text: string;
  };
  events: {
    event_no: GeneratedAlways<number>;
    event_id: string;
    account_no: number;
    device_no: number | null;
    at_us: number;
    type: string;
    status: string;
    location_no: number | null;
    check_result: string | null;
    check_id: string | null;
    message: string;
    duration_s: number | null;
    late: Generated<boolean>;
    recorded_us: number;
    gone_no: number | null;
    gone_id: string | null;
    gone_short_name: string | null;
    gone_full_name: string | null;
    gone_tag_nos: number[] | null;
  };
  gaps: {
    gap_id: string;
    agent_no: number;
    from_us: number;
    to_us: number;
    dropped_results: number;
    reason: string;
  };
  hook_progress: {
    hook_no: number;
    after_no: number;
    attempts: Generated<number>;
    first_attempt_us: number | null;
    due_us: Generated<number>;
    lease_token: string | null;
    lease_until_us: number | null;
    failing_since_us: number | null;
    delivered_us: number | null;
    last_answer: string | null;
    given_up: Generated<number>;
  };
  hooks: {
    hook_no: GeneratedAlways<number>;
    hook_id: string;
    account_no: number;
    name: string;
    address: string;
    sealed: Uint8Array;
    types: string[] | null;
    tag_no: number | null;
    external_key: string | null;
    source: string | null;
    after_no: number;
    updated_us: Generated<number>;
    created_us: Generated<number>;
  };
  installation_problems: {
    controller_id: string;
    reason: string;
    ends_us: number;
    account_nos: number[] | null;
    kind: string;
  };
  installation_settings: {
    is_only: Generated<boolean>;
    mail_server: Jsonb | null;
    mail_password: Uint8Array | null;
    mail_from: string | null;
    private_webhooks: boolean | null;
    updated_us: number;
  };
  job_cursors: {
    name: string;
    at_us: number;
  };
  job_quarantine: {
    job: string;
    item: string;
    reason: string;
    first_failed_us: number;
    last_failed_us: number;
  };
  kept_answers: {
    answer_no: GeneratedAlways<number>;
    account_no: number;
    request: Uint8Array;
    content: Uint8Array;
    sealed: Uint8Array | null;
    size: number;
    runs_until_us: number | null;
    part_of: Uint8Array | null;
    created_us: number;
  };
  key_uses: {
    key_no: number;
    used_us: number;
    address: string;
  };
  last_backup: {
    single: Generated<boolean>;
    at_us: number;
    verified_us: number | null;
  };
  leases: {
    name: string;
    holder: string;
    epoch: number;
    expires_us: number;
  };
  left_tags: {
    tag_no: number;
    device_no: number;
    left_us: number;
  };
  mails: {
    mail_no: GeneratedAlways<number>;
    mail_id: string;
    subscriber_no: number | null;
    subject: string;
    body: string;
    attempts: Generated<number>;
    first_attempt_us: number | null;
    due_us: number;
    lease_until_us: number | null;
    report_no: number | null;
    contact_no: number | null;
    html: string | null;
    account_no: Generated<number>;
    sender: Generated<string>;
    address: string | null;
  };
  maintenance_windows: {
    window_no: GeneratedAlways<number>;
    device_no: number;
    source: Generated<string>;
    from_us: number;
    to_us: number;
    end_notified: Generated<boolean>;
    mschedule_no: number | null;
    occurrence_us: number | null;
    end_on_first_ok: Generated<boolean>;
    reason: string | null;
    start_notified: Generated<boolean>;
    maintenance_id: Generated<string>;
    started_by: string | null;
  };
  marks: {
    mark_no: GeneratedAlways<number>;
    mark_id: string;
    account_no: number;
    kind: 'Deployment' | 'Change' | 'Note';
    at_us: number;
    text: string;
    link: string | null;
    author: string;
    tag_nos: number[];
    device_nos: number[];
  };
  notifications: {
    notification_no: GeneratedAlways<number>;
    notification_id: string;
    account_no: number;
    contact_no: number;
    alert_no: number | null;
    order_key: string;
    kind: string;
    severity: string;
    data: Jsonb;
    at_us: number;
    created_us: number;
    state: Generated<'Pending' | 'Delivered' | 'Failed' | 'Withdrawn' | 'Shadow'>;
    attempts: Generated<number>;
    due_us: number;
    first_attempt_us: number | null;
    message: Jsonb | null;
    leader_no: number | null;
    lease_token: string | null;
    lease_until_us: number | null;
    ended_us: number | null;
    answer: string | null;
    not_before_us: number | null;
    maybe_sent: Generated<boolean>;
    receiver_message: string | null;
    receiver_contact_us: number | null;
    tries: Generated<Jsonb>;
    step: number | null;
  };
  outage_notes: {
    device_no: number;
    from_us: number;
    note: string | null;
    excluded: boolean;
  };
  packed_checks: {
    device_no: number;
    day_us: number;
    checks: number;
    first_us: number;
    last_us: number;
    last_result: string;
    marks: Uint8Array;
    facts: Uint8Array;
    digest: Uint8Array | null;
  };
  packed_devices: {
    device_no: number;
    first_us: number;
    last_us: number;
    last_result: string;
  };
  page_news: {
    page_no: number;
    after_no: number;
    notes_us: number[];
    due_us: number;
  };
  page_subscribers: {
    subscriber_no: GeneratedAlways<number>;
    page_no: number;
    email: string;
    asked_us: number;
    confirmed_us: number | null;
  };
  pages: {
    page_no: GeneratedAlways<number>;
    page_id: string;
    account_no: number;
    name: string;
    path: string;
    tag_nos: number[] | null;
    access: 'Public' | 'Password' | 'SignedIn';
    password_hash: string | null;
    shows: string[];
    notes: Jsonb;
    external_key: string | null;
    source: string | null;
    updated_us: Generated<number>;
    logo: Uint8Array | null;
    accent_light: string | null;
    accent_dark: string | null;
    footer: string | null;
    created_us: Generated<number>;
  };
  pending_diagnostics: {
    agent_no: number;
    device_no: number;
    start_us: number;
    extended: Jsonb;
    received_us: number;
  };
  push_devices: {
    device_no: number;
    token_hash: Uint8Array;
    settings_revision: Generated<number>;
    state: Jsonb | null;
    at_us: number | null;
    judge_us: number | null;
  };
  push_logs: {
    log_no: GeneratedAlways<number>;
    device_no: number;
    run_id: string;
    at_us: number;
    kind: 'start' | 'log';
    body: string;
  };
  push_receivers: {
    receiver_no: GeneratedAlways<number>;
    controller_id: string;
    from_us: number;
    to_us: number;
    ended: Generated<boolean>;
  };
  quarantined: {
    quarantined_no: GeneratedAlways<number>;
    agent_no: number;
    received_us: number;
    reason: string;
    record: Jsonb;
    waits: Generated<boolean>;
  };
  report_progress: {
    report_no: number;
    month: string;
    stored_us: number;
    answer: string | null;
  };
  reports: {
    report_no: GeneratedAlways<number>;
    report_id: string;
    account_no: number;
    name: string;
    tag_nos: number[] | null;
    contact_nos: number[];
    objective: number | null;
    external_key: string | null;
    source: string | null;
    created_us: number;
    updated_us: Generated<number>;
  };
  rollouts: {
    rollout_no: GeneratedAlways<number>;
    account_no: number;
    version: string;
    state: Generated<'Running' | 'Done' | 'Stopped'>;
    reason: string | null;
    started_us: number;
    ended_us: number | null;
  };
  rollup_daily: {
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
    histogram: number[][];
    retries: Generated<number>;
    on_request: Generated<number>;
    phase_sums: number[] | null;
    phase_histogram: Uint8Array | null;
  };
  rollup_dirty: {
    bucket_us: number;
  };
  rollup_hourly: {
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
    histogram: number[][];
    retries: Generated<number>;
    on_request: Generated<number>;
    phase_sums: number[] | null;
    phase_histogram: Uint8Array | null;
  };
  run_requests: {
    run_request_id: string;
    kind: 'Retry' | 'Now' | 'RetryDelegated';
    device_no: number;
    agent_no: number;
    location_no: number;
    revision: number;
    retry_id: string | null;
    attempt: Generated<number>;
    not_before_us: Generated<number>;
    deadline_us: number;
    created_us: number;
    sent_us: number | null;
    answered_us: number | null;
    check_id: string | null;
    state: Generated<'Open' | 'Answered' | 'Expired'>;
    traceroute: Generated<boolean>;
  };
  sealing_key_proof: {
    single: Generated<boolean>;
    sealed: Uint8Array;
  };
  sessions: {
    session_no: GeneratedAlways<number>;
    session_id: string;
    token_hash: Uint8Array;
    key_no: number;
    began_us: number;
    used_us: number;
    ends_us: number;
    by_provider: Generated<boolean>;
  };
  state_checkpoints: {
    device_no: number;
    start_us: number;
    agent_no: number;
    state: Jsonb;
  };
  status_intervals: {
    device_no: number;
    from_us: number;
    status: 'Up' | 'Down' | 'Unknown';
  };
  sum_differences: {
    device_no: number;
    day_us: number;
    outcome: 'repaired' | 'damaged' | 'missing';
    reason: string;
    found_us: number;
  };
  trials: {
    device_no: Generated<number>;
    run_request_id: string;
    account_no: number;
    agent_no: number;
    device_id: string;
    method: string;
    sealed: Uint8Array;
    timeout_s: number;
    created_us: number;
    deadline_us: number;
    result: Jsonb | null;
    is_offer: Generated<boolean>;
  };
  users: {
    user_no: GeneratedAlways<number>;
    user_id: string;
    account_no: number;
    key_no: number;
    email: string;
    password_hash: string | null;
    invitation_hash: Uint8Array | null;
    invitation_ends_us: number | null;
    proven_us: number | null;
    invitation_email: string | null;
  };
  value_daily: {
    device_no: number;
    block_no: number;
    bucket_us: number;
    location_no: number;
    sums: Uint8Array;
  };
  value_hourly: {
    device_no: number;
    block_no: number;
    bucket_us: number;
    location_no: number;
    sums: Uint8Array;
  };
  value_series: {
    device_no: number;
    series_no: number;
    label: string;
    unit: string;
  };
}
