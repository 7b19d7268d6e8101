import { resultCode } from '@vantage/domain';
import { Failure } from '../../contract/failure.ts';
import { type SnmpClient, SnmpError, type SnmpValue, type Varbind } from './snmp-client.ts';

/** An answer of the device. Every request has these times, because a later answer has later counters. */
export interface Answer {
  /** sysUpTime, hundredths of a second; undefined if the device has none. */
  readonly upTicks: number | undefined;
  /** ifTableLastChange, hundredths of a second; undefined if the device has none. */
  readonly tableChange: number | undefined;
  /** The agent's monotonic clock at its arrival, milliseconds. */
  readonly monoMs: number;
}

/** A value and the answer that has it. The value is undefined if the device has no such object. */
export interface Cell {
  readonly value: SnmpValue;
  readonly answer: Answer;
}

/** A row of a table by the OIDs of its columns. Absent cells have no value. */
export type TableRow = ReadonlyMap<string, Cell>;
/** Rows of a table by their index, a number. */
export type TableRows = ReadonlyMap<number, TableRow>;

/** A device that is read. */
export interface SnmpSource {
  readonly client: SnmpClient;
  /** For messages. */
  readonly peer: string;
  readonly limits: DeviceLimits;
  monoMs(): number;
}

/** The limits of a device, as far as they are known. */
export interface DeviceLimits {
  /** The maximum number of objects in an answer; lower after a longer answer was lost or refused. */
  maxObjects: number;
  /** Objects that v1 agents do not have: one of them makes the whole request fail. */
  readonly absent: Set<string>;
  /** The counters of errors and discards that a check of interfaces reads. */
  frames: FrameCounters;
  readonly sinceMs: number;
}

/** `both`; or one of them in each check, in turn, because the answers of the device are short. */
export type FrameCounters = 'both' | 'errors' | 'discards';

const limitsMs = 60 * 60_000;
/** An answer to 60 objects has about 1,400 bytes, which every path carries without fragments. */
const shortAnswer = 60;
const maxObjects = 2_000;
const maxAbsent = 500;
const maxRows = 10_000;
/** All answers of a check. 10,000 interfaces have less than 1 MiB. */
const maxBytes = 4 * 1024 * 1024;
const tooBig = 1;
const noSuchName = 2;
const generalError = 5;

const upTime = '1.3.6.1.2.1.1.3';
const tableLastChange = '1.3.6.1.2.1.31.1.5';
const times = [upTime, tableLastChange];
const timeObjects = times.map((oid) => `${oid}.0`);

/** The limits of a device of which nothing is known. */
export function newLimits(nowMs: number): DeviceLimits {
  return { maxObjects, absent: new Set(), frames: 'both', sinceMs: nowMs };
}

/** The limits for another check: a copy, which is new from time to time, because one answer may be lost by chance. */
export function limitsFor(known: DeviceLimits, nowMs: number): DeviceLimits {
  const { frames } = known;
  return nowMs - known.sinceMs > limitsMs
    ? { ...newLimits(nowMs), frames }
    : { ...known, absent: new Set(known.absent) };
}

/** Any number of objects, in as few requests as short answers allow. There is at least one request. */
export async function readObjects(
  source: SnmpSource,
  oids: readonly string[],
): Promise<ReadonlyMap<string, Cell>> {
  const cells = new Map<string, Cell>();
  const size = shortAnswer - timeObjects.length;
  for (let at = 0; at === 0 || at < oids.length; at += size)
    await readSome(source, oids.slice(at, at + size), cells);
  return cells;
}

async function readSome(
  source: SnmpSource,
  oids: readonly string[],
  cells: Map<string, Cell>,
): Promise<void> {
  const { absent } = source.limits;
  const asked = [...new Set([...timeObjects, ...oids])].filter((oid) => !absent.has(oid));
  try {
    const values = await source.client.get(asked);
    const valueAt = (oid: string | undefined) => values[asked.indexOf(oid ?? '')];
    const [up, change] = timeObjects;
    const answer = answerOf(valueAt(up), valueAt(change), source.monoMs());
    for (const [at, oid] of asked.entries()) cells.set(oid, { value: values[at], answer });
  } catch (error) {
    if (!(error instanceof SnmpError)) throw error;
    if (error.status === tooBig && oids.length > 1) {
      const half = Math.ceil(oids.length / 2);
      await readSome(source, oids.slice(0, half), cells);
      await readSome(source, oids.slice(half), cells);
      return;
    }
    const isOfOne = error.status === noSuchName || error.status === generalError;
    const isKnown = error.oid === undefined || !asked.includes(error.oid) || absent.size >= maxAbsent;
    if (!isOfOne || isKnown) throw refused(source, error);
    if (error.oid !== undefined) absent.add(error.oid);
    if (asked.length > 1) await readSome(source, oids, cells);
  }
}

/**
 * Rows of a table: by their OIDs if they are few or far apart, else by reading the part of the table with them. `isEnd`
 * ends the reading after an answer; the rows are then not complete.
 */
export async function readRows(
  source: SnmpSource,
  columns: readonly string[],
  indexes: readonly number[],
  /** The number of rows from the first to the last of `indexes`. */
  rowsBetween: number,
  isEnd?: (answer: Answer) => boolean,
): Promise<TableRows> {
  if (indexes.length === 0) return new Map();
  const isFew = indexes.length * columns.length + times.length <= shortAnswer;
  if (!isFew && source.client.hasBulk && rowsBetween <= 2 * indexes.length)
    return walk(
      source,
      columns,
      { after: Math.max(0, Math.min(...indexes) - 1), last: Math.max(...indexes), expected: rowsBetween },
      isEnd,
    );
  const oids = indexes.flatMap((index) => columns.map((column) => `${column}.${index}`));
  const cells = await readObjects(source, oids);
  const rows = indexes.map((index) => {
    const row = columns.flatMap((column) => {
      const cell = cells.get(`${column}.${index}`);
      return cell?.value === undefined ? [] : [[column, cell] as const];
    });
    return [index, new Map(row)] as const;
  });
  return new Map(rows.filter(([, row]) => row.size > 0));
}

/** All rows of a table. */
export function readTable(source: SnmpSource, columns: readonly string[]): Promise<TableRows> {
  return walk(source, columns, { after: 0, last: Number.POSITIVE_INFINITY, expected: usualRows });
}

/** Rows asked for at once where their number is not known. */
const usualRows = 64;

/** A column and the index up to which it was read. */
interface Cursor {
  readonly column: string;
  after: number;
  /** The rows that were read. */
  count: number;
}

async function walk(
  source: SnmpSource,
  columns: readonly string[],
  range: { readonly after: number; readonly last: number; readonly expected: number },
  isEnd: (answer: Answer) => boolean = () => false,
): Promise<TableRows> {
  const { limits } = source;
  const rows = new Map<number, Map<string, Cell>>();
  let open: readonly Cursor[] = columns.map((column) => ({
    column,
    after: range.after,
    count: 0,
  }));
  while (open.length > 0) {
    const most = Math.max(1, Math.floor((limits.maxObjects - times.length) / open.length));
    const isOpenEnd = range.last === Number.POSITIVE_INFINITY;
    // A short answer ends within a row, so the columns are not equally far.
    const least = Math.min(...open.map(({ count }) => count));
    const expected = isOpenEnd ? usualRows : Math.max(1, range.expected - least);
    const answered = await readNext(source, open, Math.min(most, expected));
    if (answered === undefined) continue;
    const { lists, answer } = answered;
    if (lists.every((list) => list.length === 0))
      throw new Failure(resultCode.protocol, `${source.peer} sent a malformed answer: it has no rows`);
    open = open.filter(
      (cursor, at) => advance(source, cursor, lists[at] ?? [], rows, answer) && cursor.after < range.last,
    );
    if (isEnd(answer)) return rows;
    if (source.client.received > maxBytes)
      throw new Failure(resultCode.protocol, `${source.peer} has a table of more than ${maxBytes} bytes`);
    if (rows.size > maxRows)
      throw new Failure(resultCode.protocol, `${source.peer} has a table of more than ${maxRows} rows`);
  }
  return rows;
}

interface NextRows {
  /** For each cursor. */
  readonly lists: readonly (readonly Varbind[])[];
  readonly answer: Answer;
}

/** The next rows; undefined if they must be asked for again, in a shorter answer. */
async function readNext(
  source: SnmpSource,
  cursors: readonly Cursor[],
  repetitions: number,
): Promise<NextRows | undefined> {
  const { client, limits } = source;
  const oids = cursors.map(nextOf);
  const canBeShorter =
    times.length + oids.length * repetitions > shortAnswer && limits.maxObjects > shortAnswer;
  try {
    const lists = await client.bulk(times, oids, repetitions, canBeShorter);
    const [up, change] = times.map((oid, at) => {
      const found = lists[at]?.[0];
      return found?.oid === `${oid}.0` ? found.value : undefined;
    });
    return { lists: lists.slice(times.length), answer: answerOf(up, change, source.monoMs()) };
  } catch (error) {
    // Firewalls and small devices lose answers of several fragments.
    const isLost = error instanceof Failure && error.code === resultCode.timeout;
    const isTooBig = error instanceof SnmpError && error.status === tooBig;
    if ((isLost || isTooBig) && canBeShorter) {
      limits.maxObjects = shortAnswer;
      return undefined;
    }
    if (!(error instanceof SnmpError)) throw error;
    // The last object of a v1 agent has no next one.
    if (error.status === noSuchName && !client.hasBulk) return nextOneByOne(source, cursors);
    throw refused(source, error);
  }
}

async function nextOneByOne(source: SnmpSource, cursors: readonly Cursor[]): Promise<NextRows> {
  const lists: (readonly Varbind[])[] = [];
  for (const cursor of cursors) {
    try {
      lists.push((await source.client.bulk([], [nextOf(cursor)], 1))[0] ?? []);
    } catch (error) {
      if (!(error instanceof SnmpError) || error.status !== noSuchName) throw error;
      lists.push([{ oid: cursor.column, value: undefined }]);
    }
  }
  return { lists, answer: answerOf(undefined, undefined, source.monoMs()) };
}

function nextOf({ column, after }: Cursor): string {
  return after === 0 ? column : `${column}.${after}`;
}

/** Adds a column's part of an answer to the rows; false at the end of the column. */
function advance(
  { peer }: SnmpSource,
  cursor: Cursor,
  list: readonly Varbind[],
  rows: Map<number, Map<string, Cell>>,
  answer: Answer,
): boolean {
  const prefix = `${cursor.column}.`;
  // A short answer may be full before the turn of the last columns.
  for (const { oid, value } of list) {
    const index = oid.startsWith(prefix) ? Number(oid.slice(prefix.length)) : Number.NaN;
    if (value === undefined || !Number.isInteger(index)) return false;
    if (index <= cursor.after)
      throw new Failure(resultCode.protocol, `${peer} sent a malformed answer: its table goes backwards`);
    cursor.after = index;
    cursor.count += 1;
    const row = rows.get(index) ?? new Map<string, Cell>();
    rows.set(index, row.set(cursor.column, { value, answer }));
  }
  return true;
}

function answerOf(up: SnmpValue, change: SnmpValue, monoMs: number): Answer {
  const ticksOf = (value: SnmpValue) => (typeof value?.value === 'number' ? value.value : undefined);
  return { upTicks: ticksOf(up), tableChange: ticksOf(change), monoMs };
}

function refused({ peer }: SnmpSource, error: SnmpError): Failure {
  return new Failure(resultCode.protocol, `${peer} answers with the error ${error.message}`);
}
