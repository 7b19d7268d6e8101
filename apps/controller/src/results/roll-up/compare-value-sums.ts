import { dayUs, hourUs } from '@vantage/domain';
import { addSumBytes, SumBytesError } from '@vantage/domain/value-sum-bytes';
import type { ValueSums } from '@vantage/domain/value-sums';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { DeviceDay } from './device-day.ts';
import { type SumDifference, tolerance } from './differences.ts';
import { maxBlock } from './value-sum-store.ts';
import {
  devicesWithValues,
  type SumsOfLocations,
  seriesAt,
  sumsAt,
  sumsOf,
  sumsOfDay,
  type ValuedCheck,
} from './write-value-sums.ts';

/** A check with its start. */
type StartedCheck = ValuedCheck & { readonly start_us: number };

/** Differences between the sums of a day's values and its checks, and between the day and its hours. */
export interface ValueDifferences {
  readonly hourly: readonly SumDifference[];
  readonly daily: readonly SumDifference[];
}

/**
 * Compares the sums of the values of a day of a device with its checks. `unpacked` has the checks of a packed day;
 * undefined: they are rows. Hours outside of `settled` are not compared.
 */
export async function compareValueDay(
  kysely: Kysely<Tables>,
  day: DeviceDay,
  {
    settled,
    unpacked,
  }: { readonly settled: ReadonlySet<number>; readonly unpacked: readonly StartedCheck[] | undefined },
): Promise<ValueDifferences> {
  if ((await devicesWithValues(kysely, [day.deviceNo])).length === 0) return { hourly: [], daily: [] };
  const checks = unpacked ?? (await valuedRows(kysely, day));
  const stored = await storedSums(kysely, 'value_hourly', day);
  const computed = Map.groupBy(checks, ({ start_us: us }) => us - (us % hourUs));
  const hourly = [...settled]
    .sort((a, b) => a - b)
    .flatMap((us) => differencesAt(us, stored.get(us) ?? noSums, sumsOf(computed.get(us) ?? [])));
  // The day is computed again with its hours.
  if ([...stored.values()].some(({ damaged }) => damaged.size > 0)) return { hourly, daily: [] };
  const ofHours = (await sumsOfDay(kysely, day.dayUs, [day.deviceNo])).get(day.deviceNo) ?? new Map();
  const ofDay = (await storedSums(kysely, 'value_daily', day)).get(day.dayUs) ?? noSums;
  return { hourly, daily: differencesAt(day.dayUs, ofDay, ofHours) };
}

/** A row of the stored sums. */
interface SumBytes {
  readonly location_no: number;
  readonly sums: Uint8Array;
}

/** The stored sums of a bucket. */
interface StoredSums {
  readonly sums: SumsOfLocations;
  /** Locations whose bytes cannot be read. */
  readonly damaged: ReadonlySet<number>;
}

const noSums: StoredSums = { sums: new Map(), damaged: new Set() };

/** The Locations whose sums differ. Pure. */
function differencesAt(
  bucketUs: number,
  { sums: stored, damaged }: StoredSums,
  computed: SumsOfLocations,
): readonly SumDifference[] {
  const locations = new Set([...stored.keys(), ...computed.keys(), ...damaged]);
  return [...locations].flatMap((locationNo) => {
    const [one, other] = [stored.get(locationNo), computed.get(locationNo)];
    const series = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]);
    const columns = [...series]
      .filter((seriesNo) => !isSame(one?.get(seriesNo), other?.get(seriesNo)))
      .map((seriesNo) => ({
        column: `value ${seriesNo}`,
        stored: shown(one?.get(seriesNo)),
        computed: shown(other?.get(seriesNo)),
      }));
    if (damaged.has(locationNo)) columns.push({ column: 'values', stored: 'damaged bytes', computed: null });
    return columns.length === 0 ? [] : [{ bucketUs, locationNo, columns }];
  });
}

function isSame(one: ValueSums | undefined, other: ValueSums | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.count !== other.count || one.min !== other.min || one.max !== other.max) return false;
  if (one.slots.size !== other.slots.size) return false;
  if ([...one.slots].some(([slot, count]) => other.slots.get(slot) !== count)) return false;
  // Numbers of both signs may cancel out, so the error is a part of the largest amount.
  const largest = Math.max(Math.abs(one.min), Math.abs(one.max)) * one.count;
  return Math.abs(one.sum - other.sum) <= tolerance * largest || one.sum === other.sum;
}

function shown(sums: ValueSums | undefined): string | null {
  return sums === undefined
    ? null
    : JSON.stringify({ count: sums.count, sum: sums.sum, min: sums.min, max: sums.max });
}

async function valuedRows(
  kysely: Kysely<Tables>,
  { deviceNo, dayUs: beginUs }: DeviceDay,
): Promise<readonly StartedCheck[]> {
  const { rows } = await sql<StartedCheck>`
    select start_us, location_no, measured from checks
    where device_no = ${deviceNo}::int and measured is not null
      and start_us >= ${beginUs}::bigint and start_us < ${beginUs + dayUs}::bigint`.execute(kysely);
  return rows;
}

/** The stored sums of a day, by their buckets. */
async function storedSums(
  kysely: Kysely<Tables>,
  table: 'value_hourly' | 'value_daily',
  { deviceNo, dayUs: beginUs }: DeviceDay,
): Promise<ReadonlyMap<number, StoredSums>> {
  const { rows } = await sql<{ bucket_us: number; location_no: number; sums: Uint8Array }>`
    select bucket_us, location_no, sums from ${sql.table(table)}
    where device_no = ${deviceNo}::int and block_no between 0 and ${maxBlock}
      and bucket_us >= ${beginUs}::bigint and bucket_us < ${beginUs + dayUs}::bigint`.execute(kysely);
  return new Map(
    [...Map.groupBy(rows, ({ bucket_us: us }) => us)].map(([us, some]) => [us, readStored(some)]),
  );
}

function readStored(rows: readonly SumBytes[]): StoredSums {
  const sums: SumsOfLocations = new Map();
  const unread = rows.filter((row) => !addTo(sums, row));
  return { sums, damaged: new Set(unread.map(({ location_no: locationNo }) => locationNo)) };
}

/** Adds stored sums; returns false for damaged bytes. */
function addTo(sums: SumsOfLocations, { location_no: locationNo, sums: bytes }: SumBytes): boolean {
  const series = seriesAt(sums, locationNo);
  try {
    addSumBytes(bytes, (seriesNo) => sumsAt(series, seriesNo));
    return true;
  } catch (error) {
    if (error instanceof SumBytesError) return false;
    throw error;
  }
}
