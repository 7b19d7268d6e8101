import { type FoldState, fold, newState, toObservations } from '@vantage/health';
import type { Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { checkpointsBefore, type DeviceCheckpoint } from './checkpoint-store.ts';
import { readState } from './fold-state.ts';
import * as store from './fold-store.ts';
import { newestChecks } from './read-checks.ts';
import { recordedStatuses } from './recorded-events.ts';
import { replaceStates } from './replace-states.ts';
import type { Times } from './times.ts';

/** The newest checks of a device that a rebuilt state is folded from, at most. */
const maxChecks = 2000;
/** Checkpoints that are tried, newest first. */
const maxCheckpoints = 100;

export interface ReadDeps {
  readonly times: Times;
  readonly log: Logger;
  /** Devices that were read before; without it all are read. */
  readonly cache?: store.DeviceCache;
}

/**
 * The devices as the fold needs them. A stored state that cannot be read is rebuilt: the status and its start come from
 * the history of statuses, the rest is folded from the newest checkpoint of that status, else from the device's checks
 * since its start. The caller has locked the devices; `without` are checks that are folded later.
 */
export async function readDevices(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  { times, log, cache }: ReadDeps,
  without: readonly store.InsertedCheck[] = [],
): Promise<Map<number, store.FoldDevice>> {
  const devices = new Map<number, store.FoldDevice>();
  const rebuilt: number[] = [];
  for (const [deviceNo, device] of await store.foldDevices(trx, deviceNos, times, cache)) {
    const { stored } = device;
    if (stored.kind === 'unreadable') {
      rebuilt.push(deviceNo);
      const later = without.filter((check) => check.device_no === deviceNo);
      devices.set(deviceNo, { ...device, state: await rebuild(trx, device, later, times) });
    } else {
      const state = stored.kind === 'state' ? stored.state : newState(device.createdUs);
      devices.set(deviceNo, { ...device, state });
    }
  }
  if (rebuilt.length > 0) {
    const text = 'stored states cannot be read; they were rebuilt from checks';
    log.warn({ devices: rebuilt.length, deviceNos: rebuilt.slice(0, 10) }, text);
  }
  return devices;
}

/**
 * The states from which these devices are folded again: each from the last checkpoint before its point. Without one the
 * fold starts at the creation; if the checkpoint cannot be read, at the status in the history.
 */
export async function seedsBefore(
  trx: Kysely<Tables>,
  places: readonly (DeviceCheckpoint & { readonly createdUs: number })[],
): Promise<Map<number, FoldState>> {
  const checkpoints = await checkpointsBefore(trx, places);
  const seeds = new Map<number, FoldState>();
  for (const { deviceNo, startUs, createdUs } of places) {
    const stored = readState(checkpoints.get(deviceNo));
    if (stored.kind === 'state') seeds.set(deviceNo, stored.state);
    else if (stored.kind === 'none') seeds.set(deviceNo, newState(createdUs));
    else seeds.set(deviceNo, await statusAt(trx, deviceNo, startUs, createdUs));
  }
  return seeds;
}

async function rebuild(
  trx: Kysely<Tables>,
  device: Omit<store.FoldDevice, 'state'>,
  later: readonly store.InsertedCheck[],
  times: Times,
): Promise<FoldState> {
  const { deviceNo, createdUs, targetRevision } = device;
  const status = await statusAt(trx, deviceNo, Number.MAX_SAFE_INTEGER, createdUs);
  const seed = (await checkpointOf(trx, deviceNo, status)) ?? status;
  const isLater = new Set(later.map((check) => `${check.start_us}/${check.agent_no}`));
  const from = seed.at ?? { startUs: seed.sinceUs, agentNo: 0 };
  const checks = (await newestChecks(trx, { deviceNo, ...from }, targetRevision, maxChecks))
    .filter((check) => !isLater.has(`${check.start_us}/${check.agent_no}`))
    .map(store.toResult);
  const firstUs = Math.min(...checks.map(({ startUs }) => startUs), Number.MAX_SAFE_INTEGER);
  const spans = (await store.onlineSpans(trx, [deviceNo], firstUs)).get(deviceNo) ?? [];
  const { state } = fold(seed, toObservations(checks, spans, times.lateAfterUs), device);
  // Settings may have changed since. The history stays, and a confirmed status stays confirmed.
  const isSame = state.status === seed.status && state.sinceUs === seed.sinceUs;
  const kept = isSame ? state : seed;
  const announced = status.status !== 'Unknown' || (await lastRecorded(trx, status, deviceNo)) === 'Unknown';
  const whole = { ...kept, announced };
  await replaceStates(trx, new Map([[deviceNo, whole]]));
  return whole;
}

/** The status of the history at this moment. */
async function statusAt(
  trx: Kysely<Tables>,
  deviceNo: number,
  atUs: number,
  createdUs: number,
): Promise<FoldState> {
  const [present, previous] = await trx
    .selectFrom('status_intervals')
    .select(['from_us', 'status'])
    .where('device_no', '=', deviceNo)
    .where('from_us', '<=', atUs)
    .orderBy('from_us', 'desc')
    .limit(2)
    .execute();
  if (present === undefined) return newState(createdUs);
  const before = present.status === 'Unknown' && previous?.status !== 'Unknown' ? previous?.status : null;
  return {
    ...newState(present.from_us),
    status: present.status,
    before: before ?? null,
    // A retry sequence that began earlier has ended.
    at: { startUs: present.from_us, agentNo: 0 },
  };
}

/** The newest checkpoint that can be read, where it belongs to the present status. */
async function checkpointOf(
  trx: Kysely<Tables>,
  deviceNo: number,
  present: FoldState,
): Promise<FoldState | undefined> {
  const rows = await trx
    .selectFrom('state_checkpoints')
    .select('state')
    .where('device_no', '=', deviceNo)
    .orderBy('start_us', 'desc')
    .orderBy('agent_no', 'desc')
    .limit(maxCheckpoints)
    .execute();
  return rows
    .flatMap((row) => {
      const stored = readState(row.state);
      return stored.kind === 'state' ? [stored.state] : [];
    })
    .find(({ status, sinceUs }) => status === present.status && sinceUs === present.sinceUs);
}

async function lastRecorded(trx: Kysely<Tables>, { sinceUs }: FoldState, deviceNo: number) {
  const recorded = await recordedStatuses(trx, [{ deviceNo, fromUs: sinceUs }]);
  return recorded.get(deviceNo)?.at(-1)?.status ?? 'Unknown';
}
