import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../resources/field-table.ts';
import { sharedTable } from '../devices/device-table.ts';
import type { CandidateDevice, ResolvedChange } from './judge-devices.ts';

/** Lists that are read in addition to the device's row; only if they matter, because a preview reads all devices. */
interface Reading {
  readonly locations: boolean;
  readonly tags: boolean;
}

function readingFor({ set, addTagNos, removeTagNos }: ResolvedChange): Reading {
  return { locations: set.Locations !== undefined, tags: addTagNos.length + removeTagNos.length > 0 };
}

/** These devices as they are now, without those that were deleted. Lists that the change does not touch are empty. */
export async function readCandidates(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: ResolvedChange,
): Promise<readonly CandidateDevice[]> {
  const { rows } = await sql<CandidateDevice>`
    select d.device_no, d.device_id, d.short_name, ${settingsSql(readingFor(wanted))}
    from devices d where d.device_no = any(${deviceNos}::int[]) order by d.device_no`.execute(db);
  return rows;
}

/** Devices that have the same settings. */
interface Alike extends Omit<CandidateDevice, 'device_no' | 'device_id' | 'short_name'> {
  readonly devices: number;
}

/** The number of these devices by settings: a preview evaluates equal devices once. */
export async function readAlike(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: ResolvedChange,
): Promise<readonly Alike[]> {
  const { rows } = await sql<Alike>`
    select count(*)::int as devices, a.* from (
      select ${settingsSql(readingFor(wanted))} from devices d where d.device_no = any(${deviceNos}::int[])) a
    group by ${sql.join(settings.map((column) => sql.ref(`a.${column}`)))}`.execute(db);
  return rows;
}

export const plain = [
  ...columnsOf(sharedTable),
  ...(['nschedule_no', 'mschedule_no', 'master_no', 'locations_given'] as const),
];

const settings = [...plain, 'location_nos', 'tag_nos', 'is_received'] as const;

/** The settings of the devices `d`. */
function settingsSql({ locations, tags }: Reading): RawBuilder<unknown> {
  const listed = (read: boolean, list: RawBuilder<unknown>) => (read ? list : sql`array[]::int[]`);
  const locationNos = sql`array(select l.location_no from device_locations l where l.device_no = d.device_no order by l.rotation_index)`;
  const tagNos = sql`array(select t.tag_no from device_tags t where t.device_no = d.device_no order by t.tag_no)`;
  return sql`${sql.join(plain.map((column) => sql.ref(`d.${column}`)))}, ${listed(locations, locationNos)} as location_nos, ${listed(tags, tagNos)} as tag_nos,
    d.method = 'Push' as is_received`;
}

/** The device and the devices above it, whatever the caller sees. */
export async function withMasters(db: Kysely<Tables>, deviceNo: number): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`select device_no from masters_of(${deviceNo})`.execute(
    db,
  );
  return new Set(rows.map(({ device_no }) => device_no));
}
