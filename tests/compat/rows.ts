// The tables of the earlier version, and the present place of their rows. A migration that renames a table or a column
// changes this file only.
import type pg from 'pg';
import { z } from 'zod';

/** A table of the earlier version: the present place of its rows, and the columns that find each row again. */
interface Kept {
  readonly now: string;
  /** A column, or its earlier and present name. */
  readonly columns: readonly (string | readonly [was: string, now: string])[];
}

/** Tables whose rows must all exist, unchanged in these columns, after the first start of the new controller. */
const kept: Readonly<Record<string, Kept>> = {
  accounts: { now: 'accounts', columns: ['account_no', 'account_id', 'name'] },
  api_keys: { now: 'api_keys', columns: ['key_no', 'key_id', 'level', 'key_hash'] },
  locations: { now: 'locations', columns: ['location_no', 'location_id', 'name'] },
  agents: {
    now: 'agents',
    columns: ['agent_no', 'agent_id', 'location_no', 'token_hash', 'session_counter'],
  },
  secrets: { now: 'secrets', columns: ['secret_id', 'name', 'sealed'] },
  tags: { now: 'tags', columns: ['tag_no', 'tag_id', 'name'] },
  device_tags: { now: 'device_tags', columns: ['tag_no', 'device_no'] },
  devices: {
    now: 'devices',
    columns: ['device_no', 'device_id', 'method', 'url', 'sealed', 'frequency_min', 'revision', 'changed_us'],
  },
  device_locations: { now: 'device_locations', columns: ['device_no', 'location_no'] },
  device_state: { now: 'device_state', columns: ['device_no', 'status', 'since_us'] },
  status_intervals: { now: 'status_intervals', columns: ['device_no', 'from_us', 'status'] },
  state_checkpoints: { now: 'state_checkpoints', columns: ['device_no', 'start_us', 'agent_no'] },
  check_rows: {
    now: 'check_rows',
    columns: [
      'device_no',
      'start_us',
      'agent_no',
      'arrived_after_us',
      'attempt',
      'code',
      'check_result',
      'facts_no',
      'location_small',
      'revision_small',
      'connect_small',
      'ttlb_ms',
    ],
  },
  check_facts: {
    now: 'check_facts',
    columns: ['device_no', 'day_us', 'facts_no', 'digest', 'check_result', 'extended'],
  },
  check_counts: { now: 'check_counts', columns: ['account_no', 'location_no', 'agent_no', 'method', 'code'] },
  events: {
    now: 'events',
    columns: ['event_no', 'event_id', 'device_no', 'at_us', 'type', 'status', 'message'],
  },
  maintenance_windows: {
    now: 'maintenance_windows',
    columns: ['window_no', 'device_no', 'from_us', 'to_us'],
  },
  assignment_spans: {
    now: 'assignment_spans',
    columns: ['device_no', 'agent_no', 'location_no', 'from_us', 'to_us'],
  },
  authorities: { now: 'authorities', columns: ['certificate', 'sealed', 'not_after_us'] },
  nschedules: {
    now: 'nschedules',
    columns: ['nschedule_no', 'nschedule_id', 'name', 'external_key', 'steps'],
  },
  mschedules: {
    now: 'mschedules',
    columns: ['mschedule_no', 'mschedule_id', 'name', 'start_local', 'duration_s'],
  },
  contacts: {
    now: 'contacts',
    columns: ['contact_no', 'contact_id', 'external_key', 'name', 'type', 'address', 'sealed', 'shadow'],
  },
  alerts: { now: 'alerts', columns: ['alert_no', 'alert_id', 'kind', 'device_no', 'opened_us', 'since_us'] },
  notifications: {
    now: 'notifications',
    columns: ['notification_no', 'notification_id', 'contact_no', 'kind'],
  },
  audit: { now: 'audit', columns: ['audit_no', 'audit_id', 'at_us', 'actor', 'action', 'kind', 'id'] },
  connection_spans: { now: 'connection_spans', columns: ['agent_no', 'from_us', 'to_us', 'session_id'] },
  coverage: { now: 'coverage', columns: ['agent_no', 'from_us', 'to_us'] },
  clock_records: { now: 'clock_records', columns: ['agent_no', 'at_us', 'offset_us'] },
  rollup_hourly: {
    now: 'rollup_hourly',
    columns: ['device_no', 'bucket_us', 'location_no', 'checks', 'errors'],
  },
  // The sums of a day grow when its next hour is rolled up.
  rollup_daily: { now: 'rollup_daily', columns: ['device_no', 'bucket_us', 'location_no'] },
};

/** All rows of the earlier version, by table. */
export const dumpSchema = z.record(z.string(), z.array(z.record(z.string(), z.unknown())));
export type Dump = z.infer<typeof dumpSchema>;

const one = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

/** The rows of the dump that no longer exist, as `table: values`, and the number of rows that were looked up. */
export async function lostRows(
  client: pg.Client,
  dump: Dump,
): Promise<{ readonly lost: readonly string[]; readonly looked: number }> {
  const lost: string[] = [];
  let looked = 0;
  for (const [table, { now, columns }] of Object.entries(kept)) {
    const names = columns.map((column) => (typeof column === 'string' ? [column, column] : column));
    const select = names.map(([was, is]) => `"${is}" as "${was}"`).join(', ');
    const found = await client.query(
      `select coalesce(jsonb_agg(to_jsonb(t)), '[]') as rows from (select ${select} from "${now}") t`,
    );
    const keyOf = (row: Readonly<Record<string, unknown>>) =>
      JSON.stringify(names.map(([was = '']) => row[was]));
    const there = new Set(one.parse(found.rows[0]).rows.map(keyOf));
    for (const row of dump[table] ?? []) {
      looked += 1;
      if (!there.has(keyOf(row))) lost.push(`${table}: ${keyOf(row)}`);
    }
  }
  return { lost, looked };
}

const check = z.object({
  device_no: z.int(),
  start_us: z.coerce.number(),
  code: z.int(),
  attempt: z.int(),
  /** The run request that it answers. */
  run_request_id: z.string().nullable(),
});
export type CheckRow = z.infer<typeof check>;

/** Every check of an agent, oldest first. */
export async function checksOfAgent(client: pg.Client, agentNo: number): Promise<CheckRow[]> {
  const { rows } = await client.query(
    'select device_no, start_us, code, attempt, run_request_id from checks where agent_no = $1 order by start_us, device_no',
    [agentNo],
  );
  return rows.map((row) => check.parse(row));
}

const span = z.object({ from_us: z.coerce.number(), to_us: z.coerce.number() });

/** The spans in which an agent ran everything that was due, oldest first. Both versions use the same names. */
export async function coverageOfAgent(client: pg.Client, agentId: string): Promise<z.infer<typeof span>[]> {
  const { rows } = await client.query(
    `select from_us, to_us from coverage join agents using (agent_no) where agent_id = $1 order by from_us`,
    [agentId],
  );
  return rows.map((row) => span.parse(row));
}
