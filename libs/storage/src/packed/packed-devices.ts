import { dayUs } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { startOfDay } from '../partitions/partition-days.ts';
import { intArray } from '../rows/binary-array.ts';
import type { Tables } from '../schema/tables.ts';

/*
 * `packed_checks` may be on the workers of a Citus cluster; `packed_devices` has a row for each device with packed days
 * and is always on the coordinator. Readers ask it first, so a device without packed days in a span needs no worker.
 */

/** The start times of the first and the last packed check of a device. */
export interface PackedSpan {
  readonly firstUs: number;
  readonly lastUs: number;
}

/** The packed spans of these devices; a device without packed days has none. */
export async function packedSpans(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, PackedSpan>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<PackedSpan & { deviceNo: number }>`
    select device_no as "deviceNo", first_us as "firstUs", last_us as "lastUs" from packed_devices
    where device_no = any(${intArray([...new Set(deviceNos)])}::int[])`.execute(kysely);
  return new Map(rows.map((row) => [row.deviceNo, row]));
}

/** Whether a packed day may overlap the span from `fromUs` until `toUs`. Pure. */
export function mayOverlap(
  packed: PackedSpan | undefined,
  { fromUs, toUs }: { readonly fromUs: number; readonly toUs: number },
): boolean {
  return (
    packed !== undefined && startOfDay(packed.lastUs) + dayUs > fromUs && startOfDay(packed.firstUs) < toUs
  );
}
