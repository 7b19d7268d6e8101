import type { DeviceCreatedCause } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { createWaitingWrites, pipelined, type Tables } from '../../platform/db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import type { SentSettings } from './fields.ts';
import { perMinuteAtEach } from './resolve-device.ts';
import { insertDevices, insertLocations, insertTags, type NewDevice } from './write-store.ts';

/** New devices that are written together. */
interface Creations {
  /** The time of their creation. */
  readonly nowUs: number;
  readonly devices: NewDevice[];
  /** Of the first of them. */
  transaction: ChangeTransaction | undefined;
}

/** The things that a new device is resolved against, and where it goes then. */
interface Place {
  /** Those that are not written yet. */
  readonly waiting: readonly NewDevice[];
  /** Checks a minute that they add to a Location. */
  readonly waitingLoad: (locationNo: number) => number;
  /** For reading what the device names. */
  readonly trx: Kysely<Tables>;
  readonly nowUs: number;
  /** Writes the device, or leaves it to wait. */
  readonly add: (device: NewDevice) => Promise<void>;
}

/** The parts that creating devices needs. */
interface CreationDeps {
  readonly clock: Clock;
  readonly recordEvents: (
    trx: Kysely<Tables>,
    causes: readonly DeviceCreatedCause[],
    nowUs: number,
  ) => Promise<void>;
  /** Stores the states of new devices: no check has run yet. */
  readonly insertStates: (trx: Kysely<Tables>, deviceNos: readonly number[], nowUs: number) => Promise<void>;
  /** Has the planner plan Locations anew after the commit. */
  readonly notifyPlanner: (trx: Kysely<Tables>, locationNos: readonly number[]) => Promise<void>;
}

/**
 * Creates the function that finds the place of a new device. In a transaction that commits as a whole, devices wait for
 * each other and are written by a few statements for all, when something else is read or written. One that may refer to
 * another that waits does not wait.
 */
export function createCreations(deps: CreationDeps) {
  const { clock } = deps;
  const kind = createWaitingWrites<Creations>({
    begin: () => ({ nowUs: clock.nowUs(), devices: [], transaction: undefined }),
    isSeenBy: () => true,
    write: async (trx, { nowUs, devices, transaction }) =>
      transaction && writeAll(deps, { ...transaction, trx }, devices, nowUs),
  });
  return (transaction: ChangeTransaction, sent: SentSettings): Place => {
    const { trx, whole } = transaction;
    const gathered = whole && kind.of(whole);
    if (whole === undefined || gathered === undefined || refersTo(sent, gathered.devices)) {
      const nowUs = clock.nowUs();
      const add = (device: NewDevice) => writeAll(deps, transaction, [device], nowUs);
      return { waiting: [], waitingLoad: () => 0, trx, nowUs, add };
    }
    const { nowUs, devices } = gathered;
    return {
      waiting: devices,
      waitingLoad: (locationNo) => loadOf(devices, locationNo),
      trx: whole.reading,
      nowUs,
      async add(device) {
        gathered.transaction ??= transaction;
        devices.push(device);
      },
    };
  };
}

/** Whether a device may name one of these, or have its key. Pure. */
function refersTo({ ExternalKey, device_master_id }: SentSettings, devices: readonly NewDevice[]): boolean {
  if (typeof device_master_id === 'string') return true;
  return (
    typeof ExternalKey === 'string' &&
    devices.some(({ settings }) => settings.plain.external_key === ExternalKey)
  );
}

/** Checks a minute that these devices ask of a Location. Pure. */
function loadOf(devices: readonly NewDevice[], locationNo: number): number {
  let load = 0;
  for (const { settings } of devices) {
    const { locations } = settings.references;
    if (settings.plain.enabled && locations.some((each) => each.location_no === locationNo))
      load += perMinuteAtEach(settings.plain, locations.length);
  }
  return load;
}

async function writeAll(
  { insertStates, recordEvents, notifyPlanner }: CreationDeps,
  transaction: ChangeTransaction,
  devices: readonly NewDevice[],
  nowUs: number,
): Promise<void> {
  const numbers = await insertDevices(transaction, devices, nowUs);
  const written = devices.map(({ accountNo, settings: { plain, references } }, at) => ({
    accountNo,
    deviceNo: numbers[at] ?? 0,
    deviceName: plain.short_name,
    references,
  }));
  const causes = written.map(
    ({ accountNo, deviceNo, deviceName }): DeviceCreatedCause => ({
      kind: 'device-created',
      accountNo,
      deviceNo,
      deviceName,
    }),
  );
  const locationNos = written.flatMap(({ references }) =>
    references.locations.map(({ location_no }) => location_no),
  );
  await pipelined(transaction.trx, (pipe) => [
    insertLocations({ ...transaction, trx: pipe }, written),
    insertTags({ ...transaction, trx: pipe }, written),
    insertStates(pipe, numbers, nowUs),
    recordEvents(pipe, causes, nowUs),
    notifyPlanner(pipe, locationNos),
  ]);
}
