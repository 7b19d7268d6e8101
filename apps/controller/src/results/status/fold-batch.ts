import { isGood } from '@vantage/domain';
import {
  announcedStatus,
  comparePoints,
  type EventCause,
  type FoldEvent,
  type FoldInput,
  type FoldResult,
  type FoldState,
  fold,
  isLate,
  lastStatus,
  matters,
  newEvents,
  type Observation,
  toObservations,
} from '@vantage/health';
import { pipelined, type Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import type { RecordEvents } from '../events/record-events.ts';
import type { AccountDays } from './account-days.ts';
import type { DeviceCheckpoint } from './checkpoint-store.ts';
import {
  checkCause,
  correctionCause,
  interruptionsOf,
  locationNames,
  noInterruptions,
} from './event-causes.ts';
import { writeFoldResults } from './fold-results-store.ts';
import * as store from './fold-store.ts';
import { endOnFirstOk } from './maintenance-status.ts';
import { checksFrom } from './read-checks.ts';
import { type ReadDeps, readDevices, seedsBefore } from './rebuild-state.ts';
import { recordedStatuses } from './recorded-events.ts';
import { type RetryDeps, requestAfterFold } from './retry-requests.ts';
import { foldWarnings } from './warnings.ts';

export interface FoldDeps extends ReadDeps, RetryDeps {
  readonly recordEvents: RecordEvents;
  /** The warning days that this process has read. Absent: they are read each time. */
  readonly accountDays?: AccountDays | undefined;
}

/** A device whose results may change something. */
interface AffectedDevice {
  readonly device: store.FoldDevice;
  readonly fresh: readonly Observation[];
}

/** A device that is folded: from which result on, and whether that lies before its last checkpoint. */
interface FoldTask extends AffectedDevice {
  readonly first: Observation;
  readonly isPast: boolean;
}

/**
 * Folds newly inserted checks into status, events and run requests for retries, in the transaction that inserted them;
 * the caller holds the devices' locks. Healthy results of devices that are Up cost one read and no write.
 */
export async function foldBatch(
  trx: Transaction<Tables>,
  inserted: readonly store.InsertedCheck[],
  nowUs: number,
  deps: FoldDeps,
): Promise<void> {
  const { times } = deps;
  const byDevice = Map.groupBy(inserted, (row) => row.device_no);
  const devices = await readDevices(trx, [...byDevice.keys()], deps, inserted);
  await foldWarnings(trx, devices, inserted, { nowUs, ...deps });
  const candidates: { readonly device: store.FoldDevice; readonly results: readonly FoldInput[] }[] = [];
  for (const device of devices.values()) {
    const results = (byDevice.get(device.deviceNo) ?? []).map(store.toResult);
    const isQuiet =
      device.state.retrySequence === null &&
      !toObservations(results, []).some((observation) => matter(device, observation));
    if (!isQuiet) candidates.push({ device, results });
  }
  if (candidates.length === 0) return;

  const earliestUs = Math.min(
    ...candidates.flatMap(({ results }) => results.map((result) => result.startUs)),
  );
  const deviceNos = candidates.map(({ device }) => device.deviceNo);
  const spans = await store.onlineSpans(trx, deviceNos, earliestUs);
  const affected: AffectedDevice[] = candidates.map(({ device, results }) => ({
    device,
    fresh: toObservations(results, spans.get(device.deviceNo) ?? [], times.lateAfterUs).sort(comparePoints),
  }));
  const tasks = affected.flatMap((one): FoldTask[] => {
    const { device, fresh } = one;
    const first = fresh.find((observation) => matter(device, observation));
    if (first === undefined) return [];
    const isPast = device.state.at !== null && comparePoints(first, device.state.at) <= 0;
    return [{ ...one, first, isPast }];
  });
  const after = await foldAndWrite(trx, tasks, spans, nowUs, deps);
  await requestAfterFold(
    trx,
    affected.map(({ device, fresh }) => {
      const folded = after.get(device.deviceNo);
      return {
        device,
        before: device.state,
        state: folded?.state ?? device.state,
        endsLate: folded?.endsLate ?? false,
        mayNeedRetry: fresh.some(
          (observation) => !isGood(observation.code) && !isLate(observation, times.lateAfterUs),
        ),
      };
    }),
    nowUs,
    deps,
  );
}

async function foldAndWrite(
  trx: Transaction<Tables>,
  tasks: readonly FoldTask[],
  spans: Awaited<ReturnType<typeof store.onlineSpans>>,
  nowUs: number,
  { times: { lateAfterUs }, recordEvents }: FoldDeps,
): Promise<Map<number, { state: FoldState; endsLate: boolean }>> {
  if (tasks.length === 0) return new Map();
  const starts = tasks.map(({ device, first }) => at(device.deviceNo, first));
  const seeds = await seedsBefore(
    trx,
    tasks.flatMap(({ device, first, isPast }) =>
      isPast ? [{ ...at(device.deviceNo, first), createdUs: device.createdUs }] : [],
    ),
  );
  const rows = await checksFrom(trx, starts, nowUs);
  const folded = tasks.map((task) => {
    const { device, first } = task;
    const observations = toObservations(
      (rows.get(device.deviceNo) ?? []).map(store.toResult),
      spans.get(device.deviceNo) ?? [],
      lateAfterUs,
    );
    const seed = seeds.get(device.deviceNo) ?? device.state;
    const result = fold(seed, observations, device);
    const fresh = new Set(task.fresh.map(({ startUs, agentNo }) => `${startUs}/${agentNo}`));
    const earlier = observations.filter(({ startUs, agentNo }) => !fresh.has(`${startUs}/${agentNo}`));
    const previousEvents = task.isPast ? fold(seed, earlier, device).events : [];
    return { ...task, seed, result, previousEvents, endsLate: endsLate(observations, first, lateAfterUs) };
  });
  const results = folded.map(({ device, first, seed, result }) => ({
    deviceNo: device.deviceNo,
    from: first,
    checkpoints: result.checkpoints,
    intervalsFromUs: seed.sinceUs,
    intervals: result.intervals,
    state: result.state,
  }));
  const [, causes] = await pipelined(trx, (pipe) => [
    writeFoldResults(pipe, results),
    newCauses(pipe, folded, nowUs, lateAfterUs),
  ]);
  await recordEvents(trx, causes, nowUs);
  await endOnFirstOk(trx, goodChecks(causes));
  return new Map(
    folded.map(({ device, result, endsLate: late }) => [
      device.deviceNo,
      { state: result.state, endsLate: late },
    ]),
  );
}

/** A folded device with its result, and the events that the fold gave without the fresh results. */
interface Folded extends FoldTask {
  readonly result: FoldResult;
  readonly previousEvents: readonly FoldEvent[];
}

/** The causes of events that are not recorded yet, and of corrections where a recorded status is wrong now. */
async function newCauses(
  trx: Transaction<Tables>,
  folded: readonly Folded[],
  nowUs: number,
  lateAfterUs: number,
): Promise<EventCause[]> {
  const recorded = await recordedStatuses(
    trx,
    folded.flatMap(({ device, first, isPast, result }) =>
      isPast || result.events.length > 0 ? [{ deviceNo: device.deviceNo, fromUs: first.startUs }] : [],
    ),
  );
  const devices = folded.map((one) => {
    const before = recorded.get(one.device.deviceNo) ?? [];
    const unrecorded = newEvents(one.previousEvents, one.result.events, before);
    const last = lastStatus(unrecorded, before);
    const status = announcedStatus(one.result.state);
    const corrected = last === undefined || status === last ? null : status;
    return { ...one, unrecorded, corrected };
  });
  const failing = devices.flatMap(({ unrecorded }) => unrecorded.flatMap((event) => event.failing));
  const names = await locationNames(trx, failing);
  const changed = devices.flatMap(({ device, unrecorded }) =>
    unrecorded.flatMap(({ ended }) => (ended === null ? [] : [{ deviceNo: device.deviceNo, ...ended }])),
  );
  const interruptions = await interruptionsOf(
    trx,
    changed.map(({ deviceNo }) => deviceNo),
    Math.min(...changed.map(({ sinceUs }) => sinceUs)),
  );
  const context = ({ device }: FoldTask) => ({
    deviceNo: device.deviceNo,
    accountNo: device.accountNo,
    nowUs,
    lateAfterUs,
    locationNames: names,
    interruptions: interruptions.get(device.deviceNo) ?? noInterruptions,
  });
  return devices.flatMap((one): EventCause[] => [
    ...one.unrecorded.map((event) => checkCause(event, context(one))),
    ...(one.corrected === null ? [] : [correctionCause(one.result.state, one.corrected, context(one))]),
  ]);
}

/** The good checks after bad ones. */
function goodChecks(causes: readonly EventCause[]): { readonly deviceNo: number; readonly atUs: number }[] {
  return causes.flatMap((cause) =>
    cause.kind === 'check' && (cause.event.type === 'Up' || cause.event.type === 'Recovered')
      ? [{ deviceNo: cause.deviceNo, atUs: cause.event.atUs }]
      : [],
  );
}

function matter(device: store.FoldDevice, observation: Observation): boolean {
  return matters(device.state, observation, device);
}

function at(deviceNo: number, { startUs, agentNo }: Observation): DeviceCheckpoint {
  return { deviceNo, startUs, agentNo };
}

/** Whether the newest result that counts came late, so that no agent has checked the device live since. */
function endsLate(observations: readonly Observation[], first: Observation, lateAfterUs: number): boolean {
  const newest = observations
    .filter((observation) => !observation.superseded)
    .reduce((a, b) => (comparePoints(a, b) < 0 ? b : a), first);
  return isLate(newest, lateAfterUs);
}
