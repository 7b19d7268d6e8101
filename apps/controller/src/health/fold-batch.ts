import {
  announcedStatus,
  comparePoints,
  type FoldEvent,
  type FoldState,
  fold,
  isLate,
  lastStatus,
  matters,
  meaning,
  type Sighting,
  type Story,
  untold,
  withObservers,
} from '@vantage/health';
import type { Transaction } from 'kysely';
import type { Tables } from '../db/index.ts';
import {
  breaksOf,
  correction,
  insertEvents,
  locationNames,
  noBreaks,
  recordedStatuses,
  toEventRow,
} from './events.ts';
import * as store from './fold-store.ts';
import { orderAfterFold } from './orders.ts';
import { type ReadDeps, readDevices, seedsBefore } from './rebuild-state.ts';
import type { Times } from './times.ts';

/** A device whose results may change something. */
interface Loud {
  readonly device: store.FoldDevice;
  readonly fresh: readonly Sighting[];
}

/** A device that is folded: from which result on, and whether that lies before its last sure point. */
interface Folding extends Loud {
  readonly first: Sighting;
  readonly isPast: boolean;
}

/**
 * Folds newly inserted checks into status, events and retry orders, in the transaction that inserted them; the caller
 * holds the devices' locks. Healthy results of devices that are Up cost one read and no write.
 */
export async function foldBatch(
  trx: Transaction<Tables>,
  inserted: readonly store.InsertedCheck[],
  nowUs: number,
  deps: ReadDeps,
): Promise<void> {
  const { times } = deps;
  const byDevice = Map.groupBy(inserted, (row) => row.device_no);
  const devices = await readDevices(trx, [...byDevice.keys()], deps, inserted);
  const candidates = [...devices.values()].flatMap((device) => {
    const results = (byDevice.get(device.deviceNo) ?? []).map(store.toResult);
    const isQuiet =
      device.state.chain === null && !withObservers(results, []).some((seen) => matter(device, seen));
    return isQuiet ? [] : [{ device, results }];
  });
  if (candidates.length === 0) return;

  const earliestUs = Math.min(
    ...candidates.flatMap(({ results }) => results.map((result) => result.startUs)),
  );
  const deviceNos = candidates.map(({ device }) => device.deviceNo);
  const spans = await store.watchSpans(trx, deviceNos, earliestUs);
  const louds: Loud[] = candidates.map(({ device, results }) => ({
    device,
    fresh: withObservers(results, spans.get(device.deviceNo) ?? [], times.lateAfterUs).sort(comparePoints),
  }));
  const foldings = louds.flatMap((loud): Folding[] => {
    const { device, fresh } = loud;
    const first = fresh.find((seen) => matter(device, seen));
    if (first === undefined) return [];
    const isPast = device.state.at !== null && comparePoints(first, device.state.at) <= 0;
    return [{ ...loud, first, isPast }];
  });
  const after = await foldAndWrite(trx, foldings, spans, nowUs, times);
  await orderAfterFold(
    trx,
    louds.map(({ device, fresh }) => {
      const folded = after.get(device.deviceNo);
      return {
        device,
        before: device.state,
        state: folded?.state ?? device.state,
        isLateStory: folded?.endsLate ?? false,
        heardOfChain: fresh.some((seen) => meaning(seen.code) !== 'good' && !isLate(seen, times.lateAfterUs)),
      };
    }),
    nowUs,
    times,
  );
}

async function foldAndWrite(
  trx: Transaction<Tables>,
  foldings: readonly Folding[],
  spans: Awaited<ReturnType<typeof store.watchSpans>>,
  nowUs: number,
  { lateAfterUs }: Times,
): Promise<Map<number, { state: FoldState; endsLate: boolean }>> {
  if (foldings.length === 0) return new Map();
  const places = foldings.map(({ device, first }) => at(device.deviceNo, first));
  const seeds = await seedsBefore(
    trx,
    foldings.flatMap(({ device, first, isPast }) =>
      isPast ? [{ ...at(device.deviceNo, first), createdUs: device.createdUs }] : [],
    ),
  );
  const rows = await store.checksFrom(trx, places);
  const folded = foldings.map((folding) => {
    const { device, first } = folding;
    const sightings = withObservers(
      (rows.get(device.deviceNo) ?? []).map(store.toResult),
      spans.get(device.deviceNo) ?? [],
      lateAfterUs,
    );
    const seed = seeds.get(device.deviceNo) ?? device.state;
    const story = fold(seed, sightings, device);
    const fresh = new Set(folding.fresh.map(({ startUs, agentNo }) => `${startUs}/${agentNo}`));
    const earlier = sightings.filter(({ startUs, agentNo }) => !fresh.has(`${startUs}/${agentNo}`));
    const told = folding.isPast ? fold(seed, earlier, device).events : [];
    return { ...folding, seed, story, told, endsLate: endsLate(sightings, first, lateAfterUs) };
  });
  await store.writeStories(
    trx,
    folded.map(({ device, first, seed, story }) => ({
      deviceNo: device.deviceNo,
      from: first,
      points: story.points,
      intervalsFromUs: seed.sinceUs,
      intervals: story.intervals,
      state: story.state,
    })),
  );
  await tell(trx, folded, nowUs, lateAfterUs);
  return new Map(
    folded.map(({ device, story, endsLate: late }) => [
      device.deviceNo,
      { state: story.state, endsLate: late },
    ]),
  );
}

/** A folded device with its story, and the events of the story as it was before. */
interface Folded extends Folding {
  readonly story: Story;
  readonly told: readonly FoldEvent[];
}

/** Records what is news, and sets right what was recorded and is not so. */
async function tell(
  trx: Transaction<Tables>,
  folded: readonly Folded[],
  nowUs: number,
  lateAfterUs: number,
): Promise<void> {
  const recorded = await recordedStatuses(
    trx,
    folded.flatMap(({ device, first, isPast, story }) =>
      isPast || story.events.length > 0 ? [{ deviceNo: device.deviceNo, fromUs: first.startUs }] : [],
    ),
  );
  const told = folded.map((one) => {
    const before = recorded.get(one.device.deviceNo) ?? [];
    const news = untold(one.told, one.story.events, before);
    const last = lastStatus(news, before);
    const status = announcedStatus(one.story.state);
    const corrected = last === undefined || status === last ? null : status;
    return { ...one, news, corrected };
  });
  const failing = told.flatMap(({ news }) => news.flatMap((event) => event.failing));
  const names = await locationNames(trx, failing);
  const changed = told.flatMap(({ device, news }) =>
    news.flatMap(({ ended }) => (ended === null ? [] : [{ deviceNo: device.deviceNo, ...ended }])),
  );
  const breaks = await breaksOf(
    trx,
    changed.map(({ deviceNo }) => deviceNo),
    Math.min(...changed.map(({ sinceUs }) => sinceUs)),
  );
  const telling = ({ device }: Folding) => ({
    deviceNo: device.deviceNo,
    accountNo: device.accountNo,
    nowUs,
    lateAfterUs,
    locationNames: names,
    breaks: breaks.get(device.deviceNo) ?? noBreaks,
  });
  await insertEvents(
    trx,
    told.flatMap((one) => [
      ...one.news.map((event) => toEventRow(event, telling(one))),
      ...(one.corrected === null ? [] : [correction(one.story.state, one.corrected, telling(one))]),
    ]),
  );
}

function matter(device: store.FoldDevice, seen: Sighting): boolean {
  return matters(device.state, seen, device);
}

function at(deviceNo: number, { startUs, agentNo }: Sighting): store.DevicePoint {
  return { deviceNo, startUs, agentNo };
}

/** The newest result that counts came late: nobody has looked since who could tell at once. */
function endsLate(sightings: readonly Sighting[], first: Sighting, lateAfterUs: number): boolean {
  const newest = sightings
    .filter((seen) => !seen.covered)
    .reduce((a, b) => (comparePoints(a, b) < 0 ? b : a), first);
  return isLate(newest, lateAfterUs);
}
