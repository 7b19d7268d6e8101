import { Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { bigintArray, intArray, type Tables } from '../db/index.ts';
import type { ParsedDiagnostics } from './record.ts';
import type { CheckRow } from './rows.ts';

/** The most bytes of held checks; then results wait in the agents' outboxes. */
const maxBytes = 4 * 1024 ** 3;

/**
 * Of these checks or diagnostics those that are held, and those that are stored now. While a worker is away all are
 * held. A device with held checks has its later ones held too, so that its checks are stored in the order in which they
 * were folded. Pure.
 */
export function splitHeld<T>(
  items: readonly T[],
  deviceOf: (item: T) => number,
  { isAway, held }: { readonly isAway: boolean; readonly held: ReadonlySet<number> },
): { readonly toHold: readonly T[]; readonly toStore: readonly T[] } {
  if (isAway) return { toHold: items, toStore: [] };
  if (held.size === 0) return { toHold: [], toStore: items };
  const { toHold = [], toStore = [] } = Object.groupBy(items, (item) =>
    held.has(deviceOf(item)) ? 'toHold' : 'toStore',
  );
  return { toHold, toStore };
}

/**
 * Holds checks on the coordinator and returns those that were not held before. The devices' locks are held. Throws a
 * Fault when there is no room.
 */
export async function holdChecks(trx: Kysely<Tables>, rows: readonly CheckRow[]): Promise<CheckRow[]> {
  if (rows.length === 0) return [];
  const { rows: sizes } = await sql<{
    bytes: number;
  }>`select pg_total_relation_size('held_checks')::bigint as bytes`.execute(trx);
  if ((sizes[0]?.bytes ?? 0) > maxBytes)
    throw new Fault('retry', 'held_checks_full', 'a worker is away, and the coordinator holds all it may');
  const { rows: fresh } = await sql<Pick<CheckRow, 'device_no' | 'start_us' | 'agent_no'>>`
    insert into held_checks (device_no, start_us, agent_no, stored)
    select g.device_no, g.start_us, g.agent_no, g.stored::jsonb
    from unnest(${intArray(rows.map((row) => row.device_no))}::int[], ${bigintArray(rows.map((row) => row.start_us))}::bigint[],
      ${intArray(rows.map((row) => row.agent_no))}::int[], ${rows.map((row) => JSON.stringify(row))}::text[])
      as g (device_no, start_us, agent_no, stored)
    on conflict do nothing returning device_no, start_us, agent_no`.execute(trx);
  const isFresh = new Set(fresh.map(keyOf));
  return rows.filter((row) => isFresh.delete(keyOf(row)));
}

/** Adds diagnostics to held checks, as `addDiagnostics` does to stored ones. Returns the keys that are held. */
export async function addToHeld(
  trx: Kysely<Tables>,
  agentNo: number,
  pieces: readonly Pick<ParsedDiagnostics, 'deviceNo' | 'startUs' | 'extended'>[],
  maxExtended: number,
): Promise<readonly Pick<ParsedDiagnostics, 'deviceNo' | 'startUs'>[]> {
  const given = sql`unnest(${intArray(pieces.map((one) => one.deviceNo))}::int[],
    ${bigintArray(pieces.map((one) => one.startUs))}::bigint[], ${pieces.map((one) => one.extended)}::jsonb[])
    as g (device_no, start_us, extended)`;
  const now = sql`coalesce((h.stored->>'extended')::jsonb, '{}')`;
  await sql`
    update held_checks h set stored = jsonb_set(h.stored, '{extended}', to_jsonb((g.extended || ${now})::text))
    from ${given} where h.device_no = g.device_no and h.start_us = g.start_us and h.agent_no = ${agentNo}
      and length(${now}::text) + length(g.extended::text) <= ${maxExtended}`.execute(trx);
  const { rows } = await sql<Pick<ParsedDiagnostics, 'deviceNo' | 'startUs'>>`
    select h.device_no as "deviceNo", h.start_us as "startUs" from ${given}
    join held_checks h on h.device_no = g.device_no and h.start_us = g.start_us and h.agent_no = ${agentNo}`.execute(
    trx,
  );
  return rows;
}

function keyOf({ device_no, start_us, agent_no }: Pick<CheckRow, 'device_no' | 'start_us' | 'agent_no'>) {
  return `${device_no}/${start_us}/${agent_no}`;
}
