import { isDeepStrictEqual } from 'node:util';
import { resolve } from '../../resources/field-table.ts';
import {
  type DeviceSettingName,
  reachOf,
  type SharedSettings,
  sharedChanges,
} from '../devices/change-reach.ts';
import { resolveRhythm } from '../devices/device-rhythm.ts';
import { type ChangeReach, sharedTable } from '../devices/device-table.ts';
import type { AskedChange, DeviceChangeOutcome } from './device-change-fields.ts';

/** A device that may be changed. */
export interface CandidateDevice extends SharedSettings {
  readonly device_no: number;
  readonly device_id: string;
  readonly short_name: string;
  /** In their order. */
  readonly location_nos: readonly number[];
  readonly locations_given: boolean;
  readonly tag_nos: readonly number[];
  /** Controllers receive its calls, so it has no Locations and no retries. */
  readonly is_received: boolean;
}

/** The change with the numbers of everything that it names. */
export interface ResolvedChange {
  readonly set: NonNullable<AskedChange['Set']>;
  readonly nscheduleNo: number | null;
  readonly mscheduleNo: number | null;
  readonly masterNo: number | null;
  /** `masterNo` and all masters above it: these devices cannot be behind it. */
  readonly above: ReadonlySet<number>;
  readonly locationNos: readonly number[];
  readonly locationsGiven: boolean;
  readonly addTagNos: readonly number[];
  readonly removeTagNos: readonly number[];
}

/** The decision about one device. */
export type Judgement =
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'changed';
      readonly next: SharedSettings;
      /** By the names of the REST API. */
      readonly fields: readonly DeviceSettingName[];
      readonly reach: ChangeReach;
      /** It is checked from other Locations, or from the same in another order. */
      readonly newLocations: boolean;
      readonly locationsGiven: boolean;
    };

/** Why a device is not deleted. */
export const masterOfOthers = 'It is the master of other devices.';

/** Judges what a device gets, as `PUT /devices/{device_id}` with the same fields would. Pure. */
export function judgeDevice(device: CandidateDevice, wanted: ResolvedChange): Judgement {
  const { set } = wanted;
  if (device.is_received && (set.Locations ?? set.Attempts ?? set.Retries) !== undefined)
    return { kind: 'refused', reason: 'A device of the Method Push has no Locations and no retries.' };
  if (set.device_master_id !== undefined && wanted.above.has(device.device_no))
    return {
      kind: 'refused',
      reason:
        device.device_no === wanted.masterNo
          ? 'A device is not its own master.'
          : 'It would close a cycle of masters.',
    };
  const next = nextSettings(device, wanted);
  const { newLocations, locationsGiven } = nextLocations(device, wanted);
  const changes = {
    ...sharedChanges(device, next),
    Locations: newLocations || locationsGiven !== device.locations_given,
    Tags: movesTags(device, wanted),
  };
  const { fields, reach } = reachOf(changes, newLocations);
  return fields.length === 0
    ? { kind: 'same' }
    : { kind: 'changed', next, fields, reach, newLocations, locationsGiven };
}

/** A device that changes, and how. */
export interface JudgedDevice {
  readonly device: CandidateDevice;
  readonly to: Extract<Judgement, { kind: 'changed' }>;
}

/** Judges what each of these devices gets. Pure. */
export function judgeAll(
  candidates: readonly CandidateDevice[],
  wanted: ResolvedChange,
): { readonly changed: readonly JudgedDevice[]; readonly refused: DeviceChangeOutcome['Refused'] } {
  const changed: JudgedDevice[] = [];
  const refused: DeviceChangeOutcome['Refused'] = [];
  for (const device of candidates) {
    const to = judgeDevice(device, wanted);
    if (to.kind === 'changed') changed.push({ device, to });
    if (to.kind === 'refused') refused.push({ device_id: device.device_id, Reason: to.reason });
  }
  return { changed, refused };
}

function nextSettings(device: CandidateDevice, { set, ...numbers }: ResolvedChange): SharedSettings {
  const { rhythm } = resolveRhythm(set, device);
  return {
    ...resolve(sharedTable, set, device),
    ...rhythm,
    nschedule_no: set.nschedule_id === undefined ? device.nschedule_no : numbers.nscheduleNo,
    mschedule_no: set.mschedule_id === undefined ? device.mschedule_no : numbers.mscheduleNo,
    master_no: set.device_master_id === undefined ? device.master_no : numbers.masterNo,
  };
}

function nextLocations(
  device: CandidateDevice,
  { set, locationNos, locationsGiven }: ResolvedChange,
): { readonly newLocations: boolean; readonly locationsGiven: boolean } {
  if (set.Locations === undefined) return { newLocations: false, locationsGiven: device.locations_given };
  const newLocations = !isDeepStrictEqual(device.location_nos, locationNos);
  // The default Locations stay the default where they are sent back, as in a PUT.
  return { newLocations, locationsGiven: locationsGiven && (device.locations_given || newLocations) };
}

function movesTags({ tag_nos }: CandidateDevice, { addTagNos, removeTagNos }: ResolvedChange): boolean {
  return addTagNos.some((no) => !tag_nos.includes(no)) || removeTagNos.some((no) => tag_nos.includes(no));
}
