import type { Schemas } from '@vantage/client';
import { type OutageRank, outageRank, rankDays } from '../model/outage-rank.ts';
import type { PlannedMessage } from '../model/planned-messages.ts';
import type { Alert } from './alerts.ts';
import { api, isNotFound, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import { readPlanned } from './read-story.ts';

/** The facts about a cause that the overview shows besides its alert. */
export interface CauseDetail {
  /** ISO 8601: when its Down was confirmed; undefined: not known. */
  readonly confirmed: string | undefined;
  /** Retries before that; undefined: the settings changed since. */
  readonly retries: number | undefined;
  readonly method: string;
  readonly locations: readonly string[];
  readonly rank: OutageRank | undefined;
  /** The devices that are reached through it, Down or not. */
  readonly dependents: readonly string[];
  /** The next message, unless it is acknowledged. */
  readonly next: PlannedMessage | undefined;
}

/** Of more causes the overview tells only what it knows anyway. */
export const maxDetailed = 5;
const dayMs = 86_400_000;

/** The details of the causes by device. `alerts` are those of the causes that have one. */
export async function readCauseDetails(
  ids: readonly string[],
  alerts: ReadonlyMap<string, Alert>,
): Promise<ReadonlyMap<string, CauseDetail>> {
  if (ids.length === 0) return new Map();
  const Timestamp1 = new Date(serverNow() - rankDays * dayMs).toISOString();
  const query = { Device: [...ids], Timestamp1, Limit: 100 };
  const [outages, downs, devices] = await Promise.all([
    takeAnswer(api.GET('/outages', { params: { query } })),
    take(api.GET('/events', { params: { query: { ...query, Type: ['Down' as const] } } })),
    Promise.all(ids.map(readDevice)),
  ]);
  const details = await Promise.all(
    devices.flatMap((device) => {
      if (device === undefined) return [];
      const id = device.device_id;
      const confirmed = downs.find(({ device_id }) => device_id === id)?.Timestamp;
      return [detailOf(device, { alert: alerts.get(id), confirmed, outages })];
    }),
  );
  return new Map(details);
}

/** A device; undefined: it was deleted meanwhile. */
function readDevice(device_id: string): Promise<Schemas['Device'] | undefined> {
  return take(api.GET('/devices/{device_id}', { params: { path: { device_id } } })).catch(
    (problem: unknown) => {
      if (isNotFound(problem)) return undefined;
      throw problem;
    },
  );
}

/** The devices that are reached through a device. More than a page of them is not needed to say that some wait. */
async function readDependents(device_master_id: string): Promise<readonly string[]> {
  const rows = await take(api.GET('/states', { params: { query: { device_master_id, Limit: 1_000 } } }));
  return rows.map(({ device_id }) => device_id);
}

async function detailOf(
  device: Schemas['Device'],
  {
    alert,
    confirmed,
    outages: { data, hasMore },
  }: {
    readonly alert: Alert | undefined;
    readonly confirmed: string | undefined;
    readonly outages: { readonly data: readonly Schemas['Outage'][]; readonly hasMore: boolean };
  },
): Promise<readonly [string, CauseDetail]> {
  const own = data.filter(({ device_id }) => device_id === device.device_id);
  const open = own.find(({ End }) => End === null);
  const isSame = confirmed !== undefined && Date.parse(device.UpdatedAt) <= Date.parse(confirmed);
  const before = own.flatMap(({ End }) => (End === null ? [] : [{ endMs: Date.parse(End) }]));
  const knownDays = (serverNow() - Date.parse(device.CreatedAt)) / dayMs;
  // If outages are missing, those before the oldest one are not known.
  const isKnown = open !== undefined && (!hasMore || before.length > 0);
  const [dependents, planned] = await Promise.all([
    readDependents(device.device_id),
    alert === undefined ? [] : readPlanned(alert, device).then((read) => read.planned),
  ]);
  return [
    device.device_id,
    {
      confirmed,
      retries: isSame ? Math.max(0, device.Attempts - 1) : undefined,
      method: device.Method,
      locations: open?.Locations ?? [],
      rank: isKnown ? outageRank(Date.parse(open.Start), before, knownDays) : undefined,
      dependents,
      next: planned.find(({ isRepeat }) => !isRepeat) ?? planned[0],
    },
  ];
}
