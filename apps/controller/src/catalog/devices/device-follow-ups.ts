import type { CauseOf } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import { combinedWrites, publish, type Tables } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { Kysely } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { PushAddresses } from '../../results/heartbeats/push-addresses.ts';

/** Has the planner look at these Locations after the commit. */
export async function notifyPlanner(trx: Kysely<Tables>, locationNos: readonly number[]): Promise<void> {
  const places = [...new Set(locationNos)].sort((a, b) => a - b);
  await publish(trx, 'catalog', { location_nos: places });
}

/** Writes the event and the notice of a changed device. */
interface FollowUps {
  recordEvent(transaction: ChangeTransaction, cause: CauseOf<'device-changed'>, nowUs: number): Promise<void>;
  notifyPlanner(transaction: ChangeTransaction, locationNos: readonly number[]): Promise<void>;
}

/**
 * Creates the writer of both: at once, or, in an atomic batch, once for all devices when the batch is flushed.
 */
export function createFollowUps({ recordEvents }: Pick<DeviceWriterDeps, 'recordEvents'>): FollowUps {
  const events = combinedWrites<{ readonly causes: CauseOf<'device-changed'>[]; nowUs: number }>({
    begin: () => ({ causes: [], nowUs: 0 }),
    write: (trx, { causes, nowUs }) => recordEvents(trx, causes, nowUs),
  });
  // The notification is sent at the commit.
  const places = combinedWrites<Set<number>>({
    begin: () => new Set(),
    write: (trx, locationNos) => notifyPlanner(trx, [...locationNos]),
  });
  return {
    async recordEvent({ trx, batch }, cause, nowUs) {
      if (batch === undefined) return recordEvents(trx, [cause], nowUs);
      const waiting = events.of(batch);
      waiting.causes.push(cause);
      waiting.nowUs = nowUs;
    },
    async notifyPlanner({ trx, batch }, locationNos) {
      if (batch === undefined) return notifyPlanner(trx, locationNos);
      const waiting = places.of(batch);
      for (const locationNo of locationNos) waiting.add(locationNo);
    },
  };
}

/** Records the events of a device in the transaction that wrote it. */
type RecordDeviceEvents = (
  trx: Kysely<Tables>,
  causes: readonly (CauseOf<'device-created'> | CauseOf<'device-changed'> | CauseOf<'device-deleted'>)[],
  nowUs: number,
) => Promise<void>;

/** Each deletes a part of the history of devices, before the devices. */
type DeleteHistory = readonly ((trx: Kysely<Tables>, deviceNos: readonly number[]) => Promise<void>)[];

/** Stores the states of new devices: no check has run yet. */
type InsertStates = (trx: Kysely<Tables>, deviceNos: readonly number[], nowUs: number) => Promise<void>;

/** Ends what the results of these devices began: their retry sequences, outages and statuses. */
type PauseDevices = (
  trx: Kysely<Tables>,
  devices: readonly { readonly accountNo: number; readonly deviceNo: number; readonly deviceName: string }[],
  nowUs: number,
) => Promise<void>;

/** The parts that the writer of devices needs. */
export interface DeviceWriterDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly recordEvents: RecordDeviceEvents;
  readonly deleteHistory: DeleteHistory;
  readonly insertStates: InsertStates;
  readonly pushAddresses: PushAddresses;
  readonly pause: PauseDevices;
}
