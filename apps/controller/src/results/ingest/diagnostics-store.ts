import { isGood } from '@vantage/domain';
import { bigintArray, intArray, type Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CheckRow } from './check-row.ts';
import type { ParsedDiagnostics } from './parse-record.ts';

/** Diagnostics for the device that has the number now. */
type Piece = Omit<ParsedDiagnostics, 'deviceCreatedUs'>;

/** The most characters of the extended data of one check, diagnostics included, as the text of the jsonb column. */
const maxExtended = 512 * 1024;
/** The most diagnostics of one agent that wait for their results; ingest drops further ones. */
const maxWaiting = 200;

/**
 * Adds diagnostics to the extended data of this agent's own checks. The data of the result stay unchanged, so repeated
 * diagnostics change nothing. After a cut an agent sends new records before its backlog. So diagnostics may arrive
 * before their result. They wait for it when it can still come: for a device of the agent's account, with a start
 * within `from` and `to` (microseconds since 1970).
 */
export async function addDiagnostics(
  trx: Kysely<Tables>,
  sender: { readonly agentNo: number; readonly accountNo: number },
  diagnostics: readonly Piece[],
  times: { readonly fromUs: number; readonly toUs: number; readonly nowUs: number },
): Promise<void> {
  const { agentNo, accountNo } = sender;
  if (diagnostics.length === 0) return;
  const found = await addTo(trx, agentNo, diagnostics);
  const early = diagnostics.filter(
    (one) => !found.has(keyOf(one)) && one.startUs >= times.fromUs && one.startUs <= times.toUs,
  );
  if (early.length === 0) return;
  await sql`
    insert into pending_diagnostics (agent_no, device_no, start_us, extended, received_us)
    select distinct ${agentNo}::int, d.device_no, g.start_us, g.extended, ${times.nowUs}::bigint
    from ${given(early)} join devices d on d.device_no = g.device_no and d.account_no = ${accountNo}
    where not exists (select 1 from pending_diagnostics w where w.agent_no = ${agentNo}
      and w.device_no = g.device_no and w.start_us = g.start_us and w.extended = g.extended)
    limit greatest(0, ${maxWaiting} - (select count(*) from pending_diagnostics where agent_no = ${agentNo}))`.execute(
    trx,
  );
}

/** Adds the waiting diagnostics to checks that were just inserted. */
export async function addPendingDiagnostics(
  trx: Kysely<Tables>,
  agentNo: number,
  inserted: readonly CheckRow[],
): Promise<void> {
  // A good check has diagnostics where its run request asked for a traceroute.
  const awaited = inserted.filter((row) => !isGood(row.code) || row.run_request_id !== null);
  if (awaited.length === 0) return;
  const { rows } = await sql<Piece>`
    delete from pending_diagnostics w
    using unnest(${awaited.map((row) => row.device_no)}::int[], ${awaited.map((row) => row.start_us)}::bigint[])
      as g (device_no, start_us)
    where w.agent_no = ${agentNo} and w.device_no = g.device_no and w.start_us = g.start_us
    returning w.device_no as "deviceNo", w.start_us as "startUs", w.extended::text as extended`.execute(trx);
  await addTo(trx, agentNo, rows);
}

/** Deletes diagnostics whose result did not come. */
export async function dropPendingDiagnostics(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from pending_diagnostics where received_us < ${beforeUs}::bigint`.execute(db);
}

/**
 * Adds diagnostics to their checks. Returns the keys of the checks that exist; these have the diagnostics now, or no
 * room for them.
 */
async function addTo(
  trx: Kysely<Tables>,
  agentNo: number,
  diagnostics: readonly Piece[],
): Promise<ReadonlySet<string>> {
  if (diagnostics.length === 0) return new Set();
  const found = await measureStored(trx, agentNo, measurable(diagnostics));
  const fitting = fittingPieces(diagnostics, found);
  const pieces = joinPieces(fitting);
  if (pieces.length > 0) await addToStored(trx, agentNo, pieces);
  return new Set(found.map(keyOf));
}

/** Diagnostics with their place in a batch. `isFirst`: no earlier ones are of the same check. */
type MeasurablePiece = Piece & { readonly piece: number; readonly isFirst: boolean };

/** A piece whose check is there. Lengths are characters of the text of jsonb. */
interface MeasuredPiece extends Pick<Piece, 'deviceNo' | 'startUs'> {
  readonly piece: number;
  readonly length: number;
  /** The length of what the check has; null: this is not the first piece of the check. */
  readonly lengthBefore: number | null;
}

/** Pieces that are to be measured, as the table g. */
function measured(pieces: readonly MeasurablePiece[]): RawBuilder<unknown> {
  return sql`unnest(${intArray(pieces.map((one) => one.deviceNo))}::int[],
    ${bigintArray(pieces.map((one) => one.startUs))}::bigint[], ${pieces.map((one) => one.extended)}::jsonb[],
    ${intArray(pieces.map((one) => one.piece))}::int[], ${pieces.map((one) => one.isFirst)}::bool[])
    as g (device_no, start_us, extended, piece, is_first)`;
}

/** The lengths of the pieces whose checks are stored, as the column shows them. */
async function measureStored(
  trx: Kysely<Tables>,
  agentNo: number,
  pieces: readonly MeasurablePiece[],
): Promise<readonly MeasuredPiece[]> {
  const { rows } = await sql<MeasuredPiece>`
    select g.piece, c.device_no as "deviceNo", c.start_us as "startUs", length(g.extended::text) as length,
      case when g.is_first then coalesce(length(c.extended::text), 0) end as "lengthBefore"
    from ${measured(pieces)} join checks c on ${isMeant(agentNo, pieces)}`.execute(trx);
  return rows;
}

async function addToStored(trx: Kysely<Tables>, agentNo: number, pieces: readonly Piece[]): Promise<void> {
  const startsUs = pieces.map((one) => one.startUs);
  await sql`
    update check_rows r set extended = g.extended || coalesce(c.extended, '{}')
    from ${given(pieces)} join checks c on ${isMeant(agentNo, pieces)}
    where r.device_no = c.device_no and r.start_us = c.start_us and r.agent_no = c.agent_no
      and r.start_us between ${Math.min(...startsUs)}::bigint and ${Math.max(...startsUs)}::bigint
      and not coalesce(c.extended, '{}') @> g.extended`.execute(trx);
}

/** The bounds let the planner leave out the partitions of other days. */
function isMeant(agentNo: number, pieces: readonly Pick<Piece, 'startUs'>[]) {
  const startsUs = pieces.map((one) => one.startUs);
  return sql`c.agent_no = ${agentNo} and c.device_no = g.device_no and c.start_us = g.start_us
    and c.start_us between ${Math.min(...startsUs)}::bigint and ${Math.max(...startsUs)}::bigint`;
}

function given(diagnostics: readonly Piece[]) {
  return sql`unnest(${diagnostics.map((one) => one.deviceNo)}::int[], ${diagnostics.map((one) => one.startUs)}::bigint[],
    ${diagnostics.map((one) => one.extended)}::jsonb[]) as g (device_no, start_us, extended)`;
}

function keyOf({ deviceNo, startUs }: Pick<Piece, 'deviceNo' | 'startUs'>): string {
  return `${deviceNo}/${startUs}`;
}

/** Numbers the pieces, and marks the first one of each check. Pure. */
function measurable(diagnostics: readonly Piece[]): MeasurablePiece[] {
  const seen = new Set<string>();
  return diagnostics.map((one, piece) => {
    const isFirst = !seen.has(keyOf(one));
    seen.add(keyOf(one));
    return { ...one, piece, isFirst };
  });
}

/** The pieces that have room beside what their check has, in their order. Pure. */
function fittingPieces(diagnostics: readonly Piece[], found: readonly MeasuredPiece[]): Piece[] {
  const lengths = new Map(found.map(({ piece, length }) => [piece, length]));
  const lengthOf = new Map(
    found.flatMap((one) => (one.lengthBefore === null ? [] : [[keyOf(one), one.lengthBefore] as const])),
  );
  return diagnostics.filter((one, piece) => {
    const [length, before] = [lengths.get(piece), lengthOf.get(keyOf(one))];
    if (length === undefined || before === undefined || before + length > maxExtended) return false;
    lengthOf.set(keyOf(one), before + length);
    return true;
  });
}

/**
 * One piece for each check. A key of several pieces keeps the value of the first. Joined pieces are at most as long as
 * all of them. Pure.
 */
function joinPieces(diagnostics: readonly Piece[]): Piece[] {
  return [...Map.groupBy(diagnostics, keyOf).values()].flatMap((pieces) => {
    const [first] = pieces;
    if (first === undefined || pieces.length === 1) return pieces;
    const entries = pieces.toReversed().flatMap(({ extended }) => Object.entries(JSON.parse(extended)));
    return [{ ...first, extended: JSON.stringify(Object.fromEntries(entries)) }];
  });
}
