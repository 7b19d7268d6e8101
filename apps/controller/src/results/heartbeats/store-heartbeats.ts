import type { Span } from '@vantage/domain';
import { windowFromUs } from '@vantage/health';
import { lockDevicesOf, type Tables } from '@vantage/storage';
import type { Kysely, Transaction } from 'kysely';
import type { Ingest } from '../ingest/ingest.ts';
import { applyCalls, applyTime, checksOf, type DeviceCall, endedRuns, type Outcome } from './apply-calls.ts';
import { heartbeatSettings } from './heartbeat-settings.ts';
import {
  addLogs,
  type KnownToken,
  readHeartbeats,
  runKey,
  type StoredHeartbeat,
  takeLogs,
  writeHeartbeats,
} from './heartbeat-store.ts';
import { outagesIn, spansSince } from './receiver-store.ts';
import { stalledMs } from './receiving.ts';

/** The door of ingest for results that controllers make. */
export type StoreReceived = Pick<Ingest, 'storeReceived'>;

/**
 * Stores calls of any accounts, in the order of their moments, in one transaction: what was missing before them, the
 * checks that they are, and the states of their devices. Calls of devices that are gone are left out.
 */
export async function storeCalls(
  trx: Transaction<Tables>,
  calls: readonly DeviceCall[],
  deps: StoreReceived & { readonly controllerId: string; readonly nowUs: number },
): Promise<void> {
  const { controllerId } = deps;
  // First, because the end of a run may be among the same calls.
  await addLogs(trx, calls.flatMap(logOfCall));
  await change(trx, calls, deps, async (devices) => {
    const spans = await receivedSpans(trx, devices, controllerId);
    const byDevice = Map.groupBy(calls, ({ deviceNo }) => deviceNo);
    return [...devices.values()].map((device) => {
      const fromUs = windowOf(device);
      const own = (byDevice.get(device.deviceNo) ?? []).toSorted((a, b) => a.atUs - b.atUs);
      return applyCalls(device, own, (toUs) => outagesIn(spans(toUs), { fromUs, toUs }));
    });
  });
}

/** Judges these devices up to a moment, in one transaction. */
export async function storeMissed(
  trx: Transaction<Tables>,
  due: readonly KnownToken[],
  deps: StoreReceived & { readonly toUs: number; readonly nowUs: number },
): Promise<void> {
  const { toUs } = deps;
  await change(trx, due, deps, async (devices) => {
    const fromUs = Math.min(toUs, ...[...devices.values()].map(windowOf));
    const spans = await spansSince(trx, fromUs);
    return [...devices.values()].map((device) =>
      applyTime(device, toUs, outagesIn(spans, { fromUs: windowOf(device), toUs })),
    );
  });
}

/** Locks the devices, account by account, and writes what `decide` makes of them. */
async function change(
  trx: Transaction<Tables>,
  devices: readonly KnownToken[],
  { storeReceived, nowUs }: StoreReceived & { readonly nowUs: number },
  decide: (found: ReadonlyMap<number, StoredHeartbeat>) => Promise<readonly Outcome[]>,
): Promise<void> {
  const byAccount = [...Map.groupBy(devices, ({ accountNo }) => accountNo)].sort(([a], [b]) => a - b);
  for (const [accountNo, some] of byAccount) {
    const locked = await lockDevicesOf(
      trx,
      accountNo,
      some.map(({ deviceNo }) => deviceNo),
    );
    const found = await readHeartbeats(trx, [...locked.keys()]);
    if (found.size === 0) continue;
    const outcomes = await decide(found);
    const logs = await takeLogs(trx, outcomes.flatMap(endedRuns));
    const made = outcomes.map((one) =>
      checksOf(one, (runId) => logs.get(runKey({ deviceNo: one.device.deviceNo, runId })) ?? []),
    );
    await writeHeartbeats(
      trx,
      made.map(({ next }) => next),
    );
    const results = made.flatMap((one) => one.results);
    if (results.length > 0) await storeReceived(trx, { accountNo, devices: locked, nowUs }, results);
  }
}

/** From when on outages matter for a device. */
function windowOf(device: StoredHeartbeat): number {
  return device.state === null ? device.createdUs : windowFromUs(device.state, heartbeatSettings(device));
}

/** The spans in which calls were received, up to a moment at which this controller received one. */
async function receivedSpans(
  db: Kysely<Tables>,
  devices: ReadonlyMap<number, StoredHeartbeat>,
  controllerId: string,
): Promise<(toUs: number) => readonly Span[]> {
  const spans = await spansSince(db, Math.min(...[...devices.values()].map(windowOf)));
  const isOwn = (one: (typeof spans)[number]) => one.controllerId === controllerId && !one.ended;
  const last = spans.findLast(isOwn);
  // A span that was not extended for longer may have ended: the process stood still, or the clock was set.
  return (toUs) =>
    spans.map((one) =>
      one === last && toUs > one.toUs && toUs <= one.toUs + stalledMs * 1000 ? { ...one, toUs } : one,
    );
}

/** The text of a call that ends no run; it waits for the end of its run. */
function logOfCall({ kind, body, deviceNo, runId, atUs }: DeviceCall) {
  if ((kind !== 'start' && kind !== 'log') || (body === '' && kind === 'start')) return [];
  return { kind, body, deviceNo, runId, atUs };
}
