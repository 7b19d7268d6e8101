import type { Schemas } from '@vantage/client';
import { api, takeAnswer } from './api.ts';

export type AccountOutage = Schemas['Outage'];

const pageSize = 100;
/** More outages are neither readable nor quickly read. */
const maxOutages = 1_000;

/** Outages that match a filter, newest first. `isCut`: there are more than these. */
export async function readOutages(
  query: Readonly<Record<string, string>>,
): Promise<{ readonly list: readonly AccountOutage[]; readonly isCut: boolean }> {
  const list: AccountOutage[] = [];
  while (list.length < maxOutages) {
    const last = list.at(-1)?.outage_id;
    const { Device, Tag, Location, Open, ...span } = query;
    const params = {
      ...span,
      ...(Device === undefined ? {} : { Device: [Device] }),
      ...(Tag === undefined ? {} : { Tag: [Tag] }),
      ...(Location === undefined ? {} : { Location: [Location] }),
      ...(Open === undefined ? {} : { Open: 'true' as const }),
      ...(last === undefined ? {} : { Before: last }),
      Limit: pageSize,
    };
    const { data, hasMore } = await takeAnswer(api.GET('/outages', { params: { query: params } }));
    list.push(...data);
    if (!hasMore || data.length === 0) return { list, isCut: false };
  }
  return { list, isCut: true };
}
