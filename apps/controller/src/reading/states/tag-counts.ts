import type { DeviceStatus } from '@vantage/domain';
import type { StatusCount } from './summary-store.ts';

/** The tags of a device with what its shown status follows from, as one text. */
export interface TaggedDevice {
  readonly device_no: number;
  /** `tagNos|locationNos|base`: numbers joined by commas, and the stored status; without one `tagNos||`. */
  readonly combination: string;
}

/** The shown statuses of an account at one time. */
export interface ShownStatuses {
  /** By `locationNos|base`. */
  readonly groups: ReadonlyMap<string, DeviceStatus>;
  /** Devices that show another status than their group. */
  readonly apart: readonly { readonly device_no: number; readonly status: DeviceStatus }[];
}

/** The number of devices of an account with the same tags, Locations and stored status, updated by changes. */
export interface TagCounts {
  /** Devices with a tag. */
  readonly size: number;
  /** Replaces these devices. A device in `changed` that is not in `rows` lost its tags or was deleted. */
  change(changed: readonly number[], rows: readonly TaggedDevice[]): void;
  /**
   * The devices of each group of tags by status; the number of a group is its index. A device with several tags of a
   * group counts once there.
   */
  count(groups: readonly (readonly number[])[], shown: ShownStatuses): readonly StatusCount[];
}

/** Devices with the same tags, Locations and stored status. */
interface Combination {
  readonly text: string;
  readonly tagNos: readonly number[];
  /** `locationNos|base`. */
  readonly group: string;
  devices: number;
}

/** Creates the counts of these devices. Pure but for its own memory: a number for each device. */
export function createTagCounts(rows: readonly TaggedDevice[]): TagCounts {
  const combinations = new Map<string, Combination>();
  const devices = new Map<number, Combination>();

  const remove = (deviceNo: number) => {
    const combination = devices.get(deviceNo);
    if (combination === undefined) return;
    devices.delete(deviceNo);
    combination.devices -= 1;
    if (combination.devices === 0) combinations.delete(combination.text);
  };
  const add = ({ device_no, combination: text }: TaggedDevice) => {
    const combination = combinations.get(text) ?? parse(text);
    combinations.set(text, combination);
    combination.devices += 1;
    devices.set(device_no, combination);
  };
  for (const row of rows) add(row);

  return {
    get size() {
      return devices.size;
    },
    change(changed, now) {
      for (const deviceNo of changed) remove(deviceNo);
      for (const row of now) add(row);
    },
    count(groups, shown) {
      const sums = createSums(groups);
      for (const combination of combinations.values())
        sums.add(combination, statusOf(combination, shown), combination.devices);
      for (const { device_no, status } of shown.apart) {
        const combination = devices.get(device_no);
        if (combination === undefined) continue;
        sums.add(combination, statusOf(combination, shown), -1);
        sums.add(combination, status, 1);
      }
      return sums.all();
    },
  };
}

function statusOf({ group }: Combination, { groups }: ShownStatuses): DeviceStatus {
  return groups.get(group) ?? 'Unknown';
}

function parse(text: string): Combination {
  const end = text.indexOf('|');
  return { text, tagNos: text.slice(0, end).split(',').map(Number), group: text.slice(end + 1), devices: 0 };
}

/** Adds up devices by group of tags and status. */
function createSums(groups: readonly (readonly number[])[]) {
  const groupsOfTag = new Map<number, number[]>();
  for (const [at, tagNos] of groups.entries())
    for (const tagNo of tagNos) {
      const groups = groupsOfTag.get(tagNo);
      if (groups === undefined) groupsOfTag.set(tagNo, [at]);
      else groups.push(at);
    }
  const sums = groups.map(() => new Map<DeviceStatus, number>());
  const reached = new Map<string, ReadonlySet<number>>();
  const groupsOf = ({ text, tagNos }: Combination) => {
    const found = reached.get(text) ?? new Set(tagNos.flatMap((tagNo) => groupsOfTag.get(tagNo) ?? []));
    reached.set(text, found);
    return found;
  };
  return {
    add(combination: Combination, status: DeviceStatus, devices: number) {
      for (const at of groupsOf(combination)) {
        const sum = sums[at];
        sum?.set(status, (sum.get(status) ?? 0) + devices);
      }
    },
    all(): readonly StatusCount[] {
      return sums.flatMap((of, group_no) =>
        [...of]
          .filter(([, devices]) => devices !== 0)
          .map(([status, devices]) => ({ group_no, status, devices })),
      );
    },
  };
}
