import { Fault } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { bigintArray, intArray, type Tables } from '../../platform/db/index.ts';
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

/** Diagnostics of a check. */
type Piece = Pick<ParsedDiagnostics, 'deviceNo' | 'startUs' | 'extended'>;

/** Diagnostics with their place in a batch. `isFirst`: no earlier ones are of the same check. */
export type MeasurablePiece = Piece & { readonly piece: number; readonly isFirst: boolean };

/** A piece whose check is there. Lengths are characters of the text of jsonb. */
export interface MeasuredPiece extends Pick<Piece, 'deviceNo' | 'startUs'> {
  readonly piece: number;
  readonly length: number;
  /** The length of what the check has; null: this is not the first piece of the check. */
  readonly lengthBefore: number | null;
}

/** Pieces that are to be measured, as the table g. */
export function measured(pieces: readonly MeasurablePiece[]): RawBuilder<unknown> {
  return sql`unnest(${intArray(pieces.map((one) => one.deviceNo))}::int[],
    ${bigintArray(pieces.map((one) => one.startUs))}::bigint[], ${pieces.map((one) => one.extended)}::jsonb[],
    ${intArray(pieces.map((one) => one.piece))}::int[], ${pieces.map((one) => one.isFirst)}::bool[])
    as g (device_no, start_us, extended, piece, is_first)`;
}

const heldData = sql`(h.stored->>'extended')::jsonb`;

/** The lengths of the pieces whose checks are held, as `measureStored` of stored ones. */
export async function measureHeld(
  trx: Kysely<Tables>,
  agentNo: number,
  pieces: readonly MeasurablePiece[],
): Promise<readonly MeasuredPiece[]> {
  const { rows } = await sql<MeasuredPiece>`
    select g.piece, h.device_no as "deviceNo", h.start_us as "startUs", length(g.extended::text) as length,
      case when g.is_first then coalesce(length(${heldData}::text), 0) end as "lengthBefore"
    from ${measured(pieces)}
    join held_checks h on h.device_no = g.device_no and h.start_us = g.start_us and h.agent_no = ${agentNo}`.execute(
    trx,
  );
  return rows;
}

/** Adds diagnostics to held checks, as `addDiagnostics` does to stored ones; each check has one piece. */
export async function addToHeld(
  trx: Kysely<Tables>,
  agentNo: number,
  pieces: readonly Piece[],
): Promise<void> {
  await sql`
    update held_checks h
    set stored = jsonb_set(h.stored, '{extended}', to_jsonb((g.extended || coalesce(${heldData}, '{}'))::text))
    from unnest(${intArray(pieces.map((one) => one.deviceNo))}::int[],
      ${bigintArray(pieces.map((one) => one.startUs))}::bigint[], ${pieces.map((one) => one.extended)}::jsonb[])
      as g (device_no, start_us, extended)
    where h.device_no = g.device_no and h.start_us = g.start_us and h.agent_no = ${agentNo}`.execute(trx);
}

function keyOf({ device_no, start_us, agent_no }: Pick<CheckRow, 'device_no' | 'start_us' | 'agent_no'>) {
  return `${device_no}/${start_us}/${agent_no}`;
}
