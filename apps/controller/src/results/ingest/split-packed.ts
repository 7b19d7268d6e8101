import type { Tables } from '@vantage/storage';
import { inPackedSpan } from '@vantage/storage/packed';
import type { Kysely } from 'kysely';
import type { RefusedRecord } from './quarantine-store.ts';
import type { Item } from './sort-items.ts';

const reason = 'the server that has the packed days of its device does not answer';

/**
 * Splits off the results of packed days while their server is not asked, because it did not answer: to deduplicate and
 * fold such a result, its packed days must be read. It waits in quarantine, and all other records are stored without
 * that server.
 */
export async function splitPacked(
  trx: Kysely<Tables>,
  items: readonly Item[],
  { mayAsk, nowUs }: { readonly mayAsk: boolean; readonly nowUs: number },
): Promise<{ readonly present: readonly Item[]; readonly waiting: readonly RefusedRecord[] }> {
  if (mayAsk) return { present: items, waiting: [] };
  const results = items.flatMap((item) =>
    item.parsed.kind === 'result'
      ? [{ item, device_no: item.parsed.result.deviceNo, start_us: item.parsed.result.startUs }]
      : [],
  );
  const old = new Set((await inPackedSpan(trx, results, nowUs)).map(({ item }) => item));
  return {
    present: items.filter((item) => !old.has(item)),
    waiting: [...old].map((item) => ({ item, reason, waits: true })),
  };
}
