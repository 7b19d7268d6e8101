import { dayStartOf } from '../model/day.ts';
import { api, take } from './api.ts';
import { serverNow } from './clock.ts';

/** The number of outages of each device in the day that its bar shows, by its id. `ids` are at most 100. */
export async function readOutageCounts(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const Timestamp1 = new Date(dayStartOf(serverNow())).toISOString();
  const query = { Device: [...ids], Timestamp1, Limit: ids.length };
  const rows = await take(api.GET('/uptime', { params: { query } }));
  return new Map(rows.map(({ device_id, Uptime }) => [device_id, Uptime.Outages]));
}
