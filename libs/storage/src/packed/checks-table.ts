import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { factColumns, keyColumns, type PackedCheck, type PackedName } from './packed-columns.ts';
import { type CheckSpan, mergeChecks, packedChecks } from './packed-store.ts';

/** The type of each column of `checks`. */
const types: Readonly<Record<PackedName, string>> = {
  device_no: 'int',
  start_us: 'bigint',
  agent_no: 'int',
  location_no: 'int',
  end_us: 'bigint',
  arrived_us: 'bigint',
  revision: 'int',
  attempt: 'smallint',
  code: 'smallint',
  perf: 'smallint',
  block_ms: 'real',
  dns_ms: 'real',
  connect_ms: 'real',
  ssl_ms: 'real',
  ttfb_ms: 'real',
  ttlb_ms: 'real',
  data_size: 'double precision',
  check_result: 'text',
  retry_id: 'text',
  run_request_id: 'text',
  extended: 'jsonb',
  behind_anchor: 'boolean',
};
const names = ['device_no' as const, ...[...keyColumns, ...factColumns].map(({ name }) => name)];

/** Checks in memory, for use as the table `checks` in a statement, without their values. */
export function checksTable(checks: readonly PackedCheck[]): RawBuilder<unknown> {
  const arrays = names.map((name) => sql`${checks.map((check) => check[name])}::${sql.raw(types[name])}[]`);
  return sql`unnest(${sql.join(arrays)}) as c (${sql.join(names.map((name) => sql.ref(name)))})`;
}

/** The columns of `checks` in the form of a PackedCheck. */
export const rowColumns: RawBuilder<unknown> = sql.join([
  ...names.map((name) => (name === 'extended' ? sql`extended::text as extended` : sql.ref(name))),
  sql.ref('measured'),
]);

/** All checks of a span, rows and packed ones, by start time. */
export async function checksOfSpan(kysely: Kysely<Tables>, span: CheckSpan): Promise<PackedCheck[]> {
  const { deviceNo, fromUs, toUs } = span;
  const { rows } = await sql<PackedCheck>`
    select ${rowColumns} from checks where device_no = ${deviceNo}::int and start_us >= ${fromUs}::bigint
      and start_us < ${toUs}::bigint order by start_us, agent_no`.execute(kysely);
  return mergeChecks(rows, await packedChecks(kysely, span));
}
