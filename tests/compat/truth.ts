import { z } from 'zod';
import type { Api } from '../harness/api.ts';

/** The answers of the REST API about one device; timestamps stay as texts. */
const device = z.object({
  full: z.record(z.string(), z.unknown()),
  events: z.array(z.record(z.string(), z.unknown())),
  checks: z.array(z.record(z.string(), z.unknown())),
  uptime: z.record(z.string(), z.unknown()),
  statistics: z.unknown(),
});

/** The answers of the REST API about everything that the earlier version stored. */
export const truthSchema = z.object({
  devices: z.array(device),
  events: z.array(z.record(z.string(), z.unknown())),
  secrets: z.array(z.record(z.string(), z.unknown())),
  tags: z.array(z.record(z.string(), z.unknown())),
  locations: z.array(z.record(z.string(), z.unknown())),
  agents: z.array(z.record(z.string(), z.unknown())),
  contacts: z.array(z.record(z.string(), z.unknown())),
  nschedules: z.array(z.record(z.string(), z.unknown())),
  mschedules: z.array(z.record(z.string(), z.unknown())),
  account: z.record(z.string(), z.unknown()),
});
export type Truth = z.infer<typeof truthSchema>;

const listed = z.array(z.object({ device_id: z.string() }));
const atOnce = 8;

/**
 * Reads the answers. Spans end at `untilUs`, so that the answers stay the same later. `withChecks`: with the checks and
 * statistics of each device, which are half of all answers and change while an agent works; else these are empty.
 */
export async function readTruth(
  api: Api,
  untilUs: number,
  { withChecks = true }: { readonly withChecks?: boolean } = {},
): Promise<Truth> {
  const ids: string[] = [];
  for (let page = 0; ; page += 100) {
    const found = listed.parse(await api.ok('GET', `/devices?Limit=100&Offset=${page}`));
    ids.push(...found.map((each) => each.device_id));
    if (found.length < 100) break;
  }
  const devices: unknown[] = [];
  for (let from = 0; from < ids.length; from += atOnce)
    devices.push(
      ...(await Promise.all(
        ids.slice(from, from + atOnce).map((id) => readDevice(api, id, untilUs, withChecks)),
      )),
    );
  return truthSchema.parse({
    devices,
    events: await events(api, ''),
    secrets: await api.ok('GET', '/secrets'),
    tags: await api.ok('GET', '/tags'),
    locations: await api.ok('GET', '/locations'),
    agents: await api.ok('GET', '/agents'),
    contacts: await api.ok('GET', '/contacts'),
    nschedules: await api.ok('GET', '/nschedules'),
    mschedules: await api.ok('GET', '/mschedules'),
    account: await api.ok('GET', '/account'),
  });
}

async function readDevice(api: Api, id: string, untilUs: number, withChecks: boolean): Promise<unknown> {
  const at = `/devices/${id}`;
  const span = `Timestamp2=${new Date(untilUs / 1000).toISOString()}`;
  return {
    full: await api.ok('GET', `${at}?WithConfig=Y`),
    events: await events(api, at),
    checks: withChecks ? await pages(api, `${at}/checks`) : [],
    uptime: await api.ok('GET', `${at}/uptime?${span}`),
    statistics: withChecks ? await api.ok('GET', `${at}/statistics?${span}`) : [],
  };
}

const typed = z.object({ Type: z.string() });

/** All events besides those of alerts, of which some are recorded while the others are compared. */
async function events(api: Api, at: string): Promise<unknown[]> {
  const all = await pages(api, `${at}/events`);
  return all.filter((event) => !typed.parse(event).Type.startsWith('Alert'));
}

/** All entries of a list with pages. */
async function pages(api: Api, route: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (;;) {
    const page = z.array(z.unknown()).parse(await api.ok('GET', `${route}?Limit=100&Offset=${all.length}`));
    all.push(...page);
    if (page.length < 100) return all;
  }
}
