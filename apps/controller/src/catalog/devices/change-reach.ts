import { isDeepStrictEqual } from 'node:util';
import { differences, type RowOf } from '../../resources/field-table.ts';
import { type DeviceSettings, ExternalKey, plain, Source } from './device-settings.ts';
import type { DeviceRow } from './device-store.ts';
import { type ChangeReach, deviceTable, sharedTable } from './device-table.ts';
import type { ClearTarget } from './device-target.ts';
import { sameTags } from './referenced-tags.ts';
import { reachesOf } from './setting-reach.ts';

/** The effect of a change of each setting, in the order in which events and the audit name them. */
const reaches = {
  URL: 'target',
  Options: 'target',
  // Only where the Locations themselves change, and not merely that they were chosen.
  Locations: 'schedule',
  ...reachesOf(sharedTable),
  Tags: 'none',
  ExternalKey,
  Source,
  ...plain,
  nschedule_id: 'none',
  mschedule_id: 'none',
  device_master_id: 'none',
} as const satisfies Readonly<Record<string, ChangeReach>>;

/** A setting by its name in the REST API. */
export type DeviceSettingName = keyof typeof reaches;

const settings = Object.keys(reaches) as DeviceSettingName[];

/** Settings that a device shares with others, as the database stores them. */
export interface SharedSettings extends RowOf<typeof sharedTable> {
  readonly nschedule_no: number | null;
  readonly mschedule_no: number | null;
  readonly master_no: number | null;
}

/** Whether each setting of a device changes. */
type Changes = Readonly<Partial<Record<DeviceSettingName, boolean>>>;

/** The shared settings that differ. Pure. */
export function sharedChanges(before: SharedSettings, after: SharedSettings): Changes {
  return { ...differences(sharedTable, before, after), ...referenceChanges(before, after) };
}

type ReferenceNos = Pick<SharedSettings, 'nschedule_no' | 'mschedule_no' | 'master_no'>;

function referenceChanges(before: ReferenceNos, after: ReferenceNos): Changes {
  return {
    nschedule_id: before.nschedule_no !== after.nschedule_no,
    mschedule_id: before.mschedule_no !== after.mschedule_no,
    device_master_id: before.master_no !== after.master_no,
  };
}

/** The settings that change, by the names of the REST API, and the reach of the change. */
export function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly DeviceSettingName[]; readonly reach: ChangeReach } {
  const { nscheduleNo: nschedule_no, mscheduleNo: mschedule_no, masterNo: master_no } = references;
  const changes = {
    ...differences(deviceTable, row, plain),
    ...referenceChanges(row, { nschedule_no, mschedule_no, master_no }),
    URL: clear.url !== target.clear.url,
    Options: !isDeepStrictEqual(clear.options, target.clear.options),
    Locations: newLocations || row.locations_given !== references.locationsGiven,
    Tags: !sameTags(references.tags, row.tags),
  };
  return reachOf(changes, newLocations);
}

/** The settings that change, in the order of `reaches`, and how far the change reaches. Pure. */
export function reachOf(
  changes: Changes,
  newLocations: boolean,
): { readonly fields: readonly DeviceSettingName[]; readonly reach: ChangeReach } {
  const fields = settings.filter((field) => changes[field] === true);
  const effects = fields
    .filter((field) => field !== 'Locations' || newLocations)
    .map((field) => reaches[field]);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  return { fields, reach: order.find((reach) => effects.includes(reach)) ?? 'none' };
}
