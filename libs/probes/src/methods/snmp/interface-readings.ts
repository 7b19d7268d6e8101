import type { DeviceMemory, InterfaceRecord } from './device-memory.ts';
import {
  column,
  type FoundInterface,
  type InterfaceLayout,
  layoutKey,
  maxName,
  readLayout,
} from './interface-layout.ts';
import {
  type CounterLimit,
  type CounterReading,
  type DeviceTime,
  hasRestarted,
  type Rate,
  rateOf,
} from './rate-of.ts';
import type { SnmpValue } from './snmp-client.ts';
import type { WatchedInterface } from './snmp-options.ts';
import {
  type Answer,
  type Cell,
  type FrameCounters,
  readRows,
  type SnmpSource,
  type TableRow,
  type TableRows,
} from './snmp-tables.ts';
import { numberOf, textOf } from './snmp-text.ts';

/** A watched interface in one check. Rates are per second; undefined where there is none. */
export interface InterfaceReading {
  readonly found: FoundInterface;
  readonly watched: WatchedInterface;
  /** `Up`, `Down`, `Testing` …; `Missing` if the device has no such interface. */
  readonly status: string;
  readonly inBits: number | undefined;
  readonly outBits: number | undefined;
  readonly errors: number | undefined;
  readonly discards: number | undefined;
  /** Per cent of the speed, of the busier direction. */
  readonly utilisation: number | undefined;
  /** A 32-bit counter may have wrapped more than once, so there is no rate. */
  readonly isAmbiguous: boolean;
}

/** A layout is read again after this time, in case the device does not report changes of its tables or of a speed. */
const layoutMs = 10 * 60_000;
/** ifOperStatus (RFC 2863). */
const statuses = ['Up', 'Down', 'Testing', 'Unknown', 'Dormant', 'NotPresent', 'LowerLayerDown'];
/** The bits of the smallest Ethernet frame with its gap: the counters of frames grow at most by speed / 672. */
const bitsOfFrame = 672;

const counters = ['inOctets', 'outOctets', 'inErrors', 'outErrors', 'inDiscards', 'outDiscards'] as const;
type CounterName = (typeof counters)[number];

/** The watched interfaces in one check, and what the next check needs of them. */
export interface InterfaceReadings extends Pick<DeviceMemory, 'layout' | 'interfaces'> {
  readonly readings: readonly InterfaceReading[];
  /** One of the answers; undefined if the device has none of the interfaces. */
  readonly answer: Answer | undefined;
}

/**
 * Reads the watched interfaces. Finds them in the tables first where that was not done, or where it may be outdated.
 * `first` is an earlier answer of the check, if there is one.
 */
export async function readInterfaces(
  source: SnmpSource,
  watched: readonly WatchedInterface[],
  memory: DeviceMemory,
  first: Answer | undefined,
): Promise<InterfaceReadings> {
  const known = usableLayout(source, watched, memory, first);
  let layout = known ?? (await readLayout(source, watched));
  const { time } = memory;
  const { frames } = source.limits;
  let before = source.client.requests;
  let rows = await readData(
    source,
    layout,
    (answer) => known !== undefined && mayDiffer(known, answer, time),
  );
  if (known !== undefined && hasChanged(layout, rows, time)) {
    layout = await readLayout(source, watched);
    before = source.client.requests;
    rows = await readData(source, layout);
  }
  source.limits.frames = nextFrames(frames, source.client.requests - before);
  const records = new Map<string, InterfaceRecord>();
  const readings = layout.interfaces.flatMap((found, at) => {
    const options = watched[at];
    if (options === undefined) return [];
    const row = found.index === undefined ? undefined : rows.get(found.index);
    const previous = memory.interfaces.get(found.label);
    const record = row && recordOf(found, row);
    const rates = counters.map((name, at) =>
      ratesOf(previous?.counters[at], record?.counters[at], limitOf(name, found.speed)),
    );
    if (record) {
      // Readings that are a moment apart give no rate; the older ones stay for the next check. So do those of
      // counters that are not read in this check.
      const comparable = record.counters.map((now, at) => {
        const isLeftOut = now === undefined && isOtherTurn(counters[at], frames);
        return isLeftOut || isSoon(rates[at]) ? previous?.counters[at] : now;
      });
      records.set(found.label, { ...record, counters: comparable });
    }
    return [readingOf(found, options, rates, { now: record?.status, before: previous?.status })];
  });
  // A port that came up again may have another speed.
  const hasMoved = readings.some(
    ({ found, status }) => (memory.interfaces.get(found.label)?.status ?? status) !== status,
  );
  const [answer] = [...rows.values()].flatMap((row) => [...row.values()].map((cell) => cell.answer));
  return {
    readings,
    answer,
    layout: hasMoved ? { ...layout, readMs: Number.NEGATIVE_INFINITY } : layout,
    interfaces: records,
  };
}

function usableLayout(
  source: SnmpSource,
  watched: readonly WatchedInterface[],
  { layout, time }: DeviceMemory,
  first: Answer | undefined,
): InterfaceLayout | undefined {
  if (layout === undefined || layout.key !== layoutKey(watched)) return undefined;
  if (first !== undefined && mayDiffer(layout, first, time)) return undefined;
  return source.monoMs() - layout.readMs > layoutMs ? undefined : layout;
}

/** A check of 48 interfaces has at most this many requests. */
const maxRequests = 5;

/**
 * The counters for the next check. Where the answers are so short that one check needs more requests, errors and
 * discards take turns, and each has a rate at every second check.
 */
function nextFrames(now: FrameCounters, requests: number): FrameCounters {
  if (now === 'both') return requests > maxRequests ? 'errors' : 'both';
  return now === 'errors' ? 'discards' : 'errors';
}

function isOtherTurn(name: CounterName | undefined, frames: FrameCounters): boolean {
  if (frames === 'both') return false;
  return name?.endsWith(frames === 'errors' ? 'Discards' : 'Errors') ?? false;
}

/** Interfaces that are read with the same columns. */
interface ReadPart {
  readonly indexes: readonly number[];
  readonly columns: readonly string[];
  readonly rowsBetween: number;
}

async function readData(
  source: SnmpSource,
  layout: InterfaceLayout,
  isEnd: (answer: Answer) => boolean = () => false,
): Promise<TableRows> {
  const rows = new Map<number, TableRow>();
  let hasEnded = false;
  const ends = (answer: Answer) => {
    hasEnded = isEnd(answer);
    return hasEnded;
  };
  for (const { columns, indexes, rowsBetween } of partsOf(layout, source.limits.frames)) {
    if (hasEnded) break;
    for (const [index, row] of await readRows(source, columns, indexes, rowsBetween, ends))
      rows.set(index, row);
  }
  return rows;
}

/** A few interfaces are read by one request in any case. */
const fewObjects = 120;

/** Interfaces with 64-bit counters apart from those with 32-bit ones, where that makes the answers shorter. */
function partsOf(layout: InterfaceLayout, frames: FrameCounters): readonly ReadPart[] {
  const found = layout.interfaces.filter(({ index }) => index !== undefined);
  const whole = partOf(layout, found, frames);
  const parts = [true, false]
    .map((is64) => found.filter(({ has64Bits }) => has64Bits === is64))
    .filter((group) => group.length > 0)
    .map((group) => partOf(layout, group, frames));
  const objects = (all: readonly ReadPart[]) =>
    all.reduce((sum, { rowsBetween, columns }) => sum + rowsBetween * columns.length, 0);
  const isShorter = objects([whole]) > fewObjects && objects(parts) < objects([whole]);
  return isShorter ? parts : [whole];
}

function partOf(
  { isExtended, tableChange }: InterfaceLayout,
  found: readonly FoundInterface[],
  frames: FrameCounters,
): ReadPart {
  const isAny64 = found.some(({ has64Bits }) => has64Bits);
  const isAny32 = found.some(({ has64Bits }) => !has64Bits);
  const columns = [
    // Without ifTableLastChange the name shows whether an index still means the same interface.
    ...(tableChange === undefined ? [isExtended ? column.name : column.description] : []),
    column.status,
    ...(isAny64 ? [column.inOctets64, column.outOctets64] : []),
    ...(isAny32 ? [column.inOctets, column.outOctets] : []),
    ...(isAny32 && isExtended ? [column.discontinuity] : []),
    ...(frames === 'discards' ? [] : [column.inErrors, column.outErrors]),
    ...(frames === 'errors' ? [] : [column.inDiscards, column.outDiscards]),
  ];
  const positions = found.map(({ position }) => position);
  return {
    indexes: [...new Set(found.flatMap(({ index }) => index ?? []))],
    columns,
    rowsBetween: found.length === 0 ? 0 : Math.max(...positions) - Math.min(...positions) + 1,
  };
}

/** Whether the indexes of a layout may mean other interfaces now. */
function hasChanged(layout: InterfaceLayout, rows: TableRows, time: DeviceTime | undefined): boolean {
  const oid = layout.isExtended ? column.name : column.description;
  return layout.interfaces.some(({ index, name }) => {
    if (index === undefined) return false;
    const row = rows.get(index);
    const cell = row?.get(column.status);
    if (row === undefined || cell === undefined) return true;
    if (layout.tableChange === undefined && textOf(row.get(oid)?.value).slice(0, maxName) !== name)
      return true;
    return mayDiffer(layout, cell.answer, time);
  });
}

function mayDiffer({ tableChange }: InterfaceLayout, answer: Answer, time: DeviceTime | undefined): boolean {
  const isRestarted = time !== undefined && hasRestarted(time, timeOf(answer));
  return isRestarted || answer.tableChange !== tableChange;
}

/** The clocks at an answer. A device without sysUpTime counts as one that never restarts. */
export function timeOf({ upTicks, monoMs }: Answer): DeviceTime {
  return { upTicks: upTicks ?? Math.round(monoMs / 10) % 2 ** 32, monoMs };
}

function recordOf(found: FoundInterface, row: TableRow): InterfaceRecord {
  const discontinuity = numberOf(row.get(column.discontinuity)?.value);
  const read = (name: CounterName): CounterReading | undefined => {
    const is64 = found.has64Bits && (name === 'inOctets' || name === 'outOctets');
    const oid = is64 ? column[`${name}64`] : column[name];
    return counterOf(row.get(oid), name.endsWith('Octets') && !is64 ? discontinuity : undefined);
  };
  return { status: statusOf(row.get(column.status)?.value), counters: counters.map(read) };
}

/** A counter of an answer; undefined if it is none. */
export function counterOf(cell: Cell | undefined, discontinuity?: number): CounterReading | undefined {
  const value = cell?.value;
  if (cell === undefined || (value?.type !== 'counter32' && value?.type !== 'counter64')) return undefined;
  return {
    count: BigInt(value.value),
    bits: value.type === 'counter64' ? 64 : 32,
    at: timeOf(cell.answer),
    discontinuity,
  };
}

function ratesOf(
  before: CounterReading | undefined,
  now: CounterReading | undefined,
  limit: CounterLimit,
): Rate | undefined {
  return now && rateOf(before, now, limit);
}

function isSoon(rate: Rate | undefined): boolean {
  return rate?.kind === 'none' && rate.reason === 'soon';
}

function limitOf(name: CounterName, speed: number | undefined): CounterLimit {
  const isFullRate = name.endsWith('Octets');
  return {
    isFullRate,
    maxPerSecond: speed === undefined ? undefined : speed / (isFullRate ? 8 : bitsOfFrame),
  };
}

function readingOf(
  found: FoundInterface,
  watched: WatchedInterface,
  rates: readonly (Rate | undefined)[],
  status: { readonly now: string | undefined; readonly before: string | undefined },
): InterfaceReading {
  const { speed } = found;
  const [inOctets, outOctets, inErrors, outErrors, inDiscards, outDiscards] = rates.map(perSecond);
  const inBits = inOctets === undefined ? undefined : inOctets * 8;
  const outBits = outOctets === undefined ? undefined : outOctets * 8;
  const isSteady = status.now === status.before;
  return {
    found,
    watched,
    status: status.now ?? 'Missing',
    inBits,
    outBits,
    errors: sum(inErrors, outErrors),
    discards: sum(inDiscards, outDiscards),
    utilisation:
      speed === undefined || !isSteady || inBits === undefined || outBits === undefined
        ? undefined
        : (100 * Math.max(inBits, outBits)) / speed,
    isAmbiguous: rates.some((rate) => rate?.kind === 'none' && rate.reason === 'ambiguous'),
  };
}

function perSecond(rate: Rate | undefined): number | undefined {
  return rate?.kind === 'rate' ? rate.perSecond : undefined;
}

function sum(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? undefined : first + second;
}

/** A status of IF-MIB by its name. */
export function statusOf(value: SnmpValue): string {
  return statuses[(numberOf(value) ?? 0) - 1] ?? 'Unknown';
}
