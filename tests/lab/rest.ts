import { z } from 'zod';
import type { Api } from '../harness/api.ts';

const entry = z.looseObject({
  device_id: z.string(),
  ShortName: z.string(),
  Status: z.string(),
  DownBecause: z.string().nullish(),
});
const entries = z.array(entry);
const agents = z.array(z.object({ State: z.string() }));
const locations = z.array(z.object({ Name: z.string(), Online: z.boolean() }));
const events = z.array(z.object({ Type: z.string() }));
const uptime = z.object({
  Uptime: z.object({
    UpSeconds: z.number(),
    DownSeconds: z.number(),
    MaintenanceSeconds: z.number(),
    UnknownSeconds: z.number(),
    Outages: z.number(),
  }),
});

/** The first hundred devices of the account, as the list shows them. */
export async function listDevices(api: Api): Promise<z.output<typeof entries>> {
  return entries.parse(await api.ok('GET', '/devices?Limit=100'));
}

/** The Status of each device by its ShortName. */
export async function statuses(api: Api): Promise<ReadonlyMap<string, string>> {
  return new Map((await listDevices(api)).map(({ ShortName, Status }) => [ShortName, Status]));
}

/** The number of connected agents. */
export async function connected(api: Api): Promise<number> {
  const all = agents.parse(await api.ok('GET', '/agents'));
  return all.filter(({ State }) => State === 'Connected').length;
}

/** The uptime of a device in a period, milliseconds since 1970; the seconds are whole ones. */
export async function uptimeOf(api: Api, id: string, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const answer = await api.ok('GET', `/devices/${id}/uptime?Timestamp1=${from}&Timestamp2=${to}`);
  return uptime.parse(answer).Uptime;
}

/** Whether each Location is online, by its name. */
export async function locationsOnline(api: Api): Promise<ReadonlyMap<string, boolean>> {
  const all = locations.parse(await api.ok('GET', '/locations'));
  return new Map(all.map(({ Name, Online }) => [Name, Online]));
}

/** The types of the last hundred events of a device, the oldest first. */
export async function eventTypes(api: Api, id: string): Promise<string[]> {
  const all = events.parse(await api.ok('GET', `/devices/${id}/events?Limit=100`));
  return all.map(({ Type }) => Type).reverse();
}
