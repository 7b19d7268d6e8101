import { minuteUs } from '@vantage/domain';
import { type AuditEntry, type ChainEnd, chainLine, emptyChain } from '@vantage/domain/audit-chain';
import type { Clock } from '@vantage/kernel';
import type { Call } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import { isTransientDbError } from '@vantage/storage';
import { type AuditRow, listEntriesAfter } from './audit-store.ts';

/** An entry is sent this long after its change: until then an entry with a smaller number may still be committed. */
const settleUs = minuteUs;
const pollMs = 2_000;
/** A slow reader keeps at most this many rows in memory. */
const pageRows = 50;

/** The account's audit as lines of JSON that are chained by hashes, until the signal aborts. */
export function openAuditStream(
  clock: Pick<Clock, 'nowUs' | 'sleep'>,
  ask: {
    readonly session: () => Session;
    /** See `RouteRequest`: each page is read inside of it. */
    readonly scoped: Call<unknown, unknown, unknown>['scoped'];
    readonly afterNo: number;
    /** The id and the hash of the last line of the reader; undefined: it has none. */
    readonly after: string | undefined;
    readonly hash: string | undefined;
    readonly show: (row: AuditRow, zone: Zone) => object;
  },
): (signal: AbortSignal) => AsyncGenerator<string> {
  const page = async (afterNo: number) => {
    const { accountNo } = ask.session();
    const rows = await ask.scoped((db) => listEntriesAfter(db, accountNo, { afterNo, limit: pageRows }));
    const nowUs = clock.nowUs();
    // An entry that is later than now was stored while the clock was ahead.
    const isUnsettled = (atUs: number) => atUs >= nowUs - settleUs && atUs <= nowUs + settleUs;
    const unsettled = rows.findIndex(({ at_us }) => isUnsettled(at_us));
    return unsettled < 0 ? rows : rows.slice(0, unsettled);
  };
  return async function* stream(signal) {
    let end: ChainEnd = { ...emptyChain, auditId: ask.after, hash: ask.hash ?? emptyChain.hash };
    let { afterNo } = ask;
    while (!signal.aborted) {
      const rows = await page(afterNo).catch((error: unknown) => {
        if (isTransientDbError(error)) return [];
        throw error;
      });
      for (const row of rows) {
        const entry: AuditEntry = JSON.parse(JSON.stringify(ask.show(row, ask.session().zone)));
        const made = chainLine(end, entry);
        yield made.line;
        ({ end } = made);
        afterNo = row.audit_no;
      }
      if (rows.length < pageRows) await clock.sleep(pollMs, signal).catch(() => {});
    }
  };
}
