import type { CauseOf } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import { combinedWrites, pipelined, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { PushAddresses } from '../../results/heartbeats/push-addresses.ts';
import { insertLocations, insertTags, type NewDevice, rowOf } from './device-write-store.ts';
import { perMinuteAtEach } from './location-overload.ts';
import type { SentSettings } from './sent-device.ts';

/** Inserts devices without their Locations and tags. Returns their numbers in the same order. */
async function insertDevices(
  { trx }: ChangeTransaction,
  devices: readonly NewDevice[],
  nowUs: number,
): Promise<readonly number[]> {
  if (devices.length === 0) return [];
  const given = devices.map(({ deviceId, accountNo, method, settings, sealed }) => ({
    device_id: deviceId,
    account_no: accountNo,
    method,
    ...rowOf(settings),
    sealed: `\\x${sealed.toString('hex')}`,
    changed_us: nowUs,
    created_us: nowUs,
    updated_us: nowUs,
  }));
  const columns = sql.join(Object.keys(given[0] ?? {}).map((column) => sql.ref(column)));
  const { rows } = await sql<{ device_no: number; device_id: string }>`
    insert into devices (${columns})
    select ${columns} from jsonb_populate_recordset(null::devices, ${JSON.stringify(given)}::jsonb) with ordinality
    order by ordinality returning device_no, device_id`.execute(trx);
  const numbers = new Map(rows.map(({ device_no, device_id }) => [device_id, device_no]));
  return devices.map(({ deviceId }) => numbers.get(deviceId) ?? 0);
}

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
  /** The devices that are not written yet. */
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
    causes: readonly CauseOf<'device-created'>[],
    nowUs: number,
  ) => Promise<void>;
  /** Stores the states of new devices: no check has run yet. */
  readonly insertStates: (trx: Kysely<Tables>, deviceNos: readonly number[], nowUs: number) => Promise<void>;
  readonly pushAddresses: Pick<PushAddresses, 'insert'>;
  /** Requests a new plan for Locations after the commit. */
  readonly notifyPlanner: (trx: Kysely<Tables>, locationNos: readonly number[]) => Promise<void>;
}

/**
 * Creates the function that inserts new devices. In an atomic batch they are collected and written by a few statements
 * when the batch is flushed. A device that may refer to a collected one is written at once, after a flush.
 */
export function createCreations(deps: CreationDeps) {
  const { clock } = deps;
  const kind = combinedWrites<Creations>({
    begin: () => ({ nowUs: clock.nowUs(), devices: [], transaction: undefined }),
    write: async (trx, { nowUs, devices, transaction }) =>
      transaction && writeAll(deps, { ...transaction, trx }, devices, nowUs),
  });
  return async (transaction: ChangeTransaction, sent: SentSettings): Promise<Place> => {
    const { trx, batch } = transaction;
    const gathered = batch && kind.of(batch);
    if (batch === undefined || gathered === undefined || refersTo(sent, gathered.devices)) {
      await batch?.flush();
      const nowUs = clock.nowUs();
      const add = (device: NewDevice) => writeAll(deps, transaction, [device], nowUs);
      return { waiting: [], waitingLoad: () => 0, trx, nowUs, add };
    }
    const { nowUs, devices } = gathered;
    return {
      waiting: devices,
      waitingLoad: (locationNo) => loadOf(devices, locationNo),
      trx: batch.reading,
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

/** Checks a minute of these devices at a Location. Pure. */
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
  { insertStates, recordEvents, notifyPlanner, pushAddresses }: CreationDeps,
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
    ({ accountNo, deviceNo, deviceName }): CauseOf<'device-created'> => ({
      kind: 'device-created',
      accountNo,
      deviceNo,
      deviceName,
    }),
  );
  const push = devices.flatMap(({ pushTokenHash: tokenHash }, at) =>
    tokenHash === undefined ? [] : [{ deviceNo: numbers[at] ?? 0, tokenHash }],
  );
  const locationNos = written.flatMap(({ references }) =>
    references.locations.map(({ location_no }) => location_no),
  );
  await pipelined(transaction.trx, (pipe) => [
    insertLocations({ ...transaction, trx: pipe }, written),
    insertTags({ ...transaction, trx: pipe }, written),
    insertStates(pipe, numbers, nowUs),
    pushAddresses.insert(pipe, push),
    recordEvents(pipe, causes, nowUs),
    notifyPlanner(pipe, locationNos),
  ]);
}
