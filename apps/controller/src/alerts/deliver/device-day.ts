import { minuteUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { DayPart } from '../channels/channel.ts';

/** Seconds of a part of a day in each status. */
interface PartFigures {
  readonly UpSeconds: number;
  readonly DownSeconds: number;
  readonly MaintenanceSeconds: number;
  readonly UnknownSeconds: number;
}

/** The uptime of a device in equal parts until `nowUs`, oldest first (the step health). */
export type UptimeParts = (
  kysely: Kysely<Tables>,
  ask: {
    readonly deviceNo: number;
    readonly createdUs: number;
    readonly parts: number;
    readonly partUs: number;
    readonly nowUs: number;
  },
) => Promise<readonly PartFigures[]>;

/** The last day of a device in 48 half hours, oldest first; null when the device does not exist. */
export async function readDay(
  kysely: Kysely<Tables>,
  { deviceId, nowUs }: { readonly deviceId: string; readonly nowUs: number },
  uptimeParts: UptimeParts,
): Promise<readonly DayPart[] | null> {
  const device = await kysely
    .selectFrom('devices')
    .select(['device_no as deviceNo', 'created_us as createdUs'])
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  if (device === undefined) return null;
  const parts = await uptimeParts(kysely, { ...device, parts: 48, partUs: 30 * minuteUs, nowUs });
  return parts.map(partOf);
}

/**
 * Any Down time colours its part, because readers look for it. Otherwise the longest status does. Pure.
 */
export function partOf(part: PartFigures): DayPart {
  if (part.DownSeconds > 0) return 'Down';
  const longest = Math.max(part.UpSeconds, part.MaintenanceSeconds, part.UnknownSeconds);
  if (longest === part.UpSeconds) return 'Up';
  return longest === part.MaintenanceSeconds ? 'Maint' : 'Unknown';
}
