import { minuteUs } from '@vantage/domain';
import { type ChainEnd, chainLine, type Entry, emptyChain } from '@vantage/domain/audit-chain';
import type { Clock } from '@vantage/kernel';
import { type Db, isTransientDbError } from '../../platform/db/index.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { type AuditRow, listEntriesAfter } from './audit-store.ts';

/** An entry is sent this long after its change: until then, one with a smaller number may still be committed. */
const settleUs = minuteUs;
const pollMs = 2_000;
/** A slow reader holds at most so many rows in memory. */
const pageRows = 50;

/** The account's audit as lines of JSON that are chained by hashes, until the signal aborts. */
export function openAuditStream(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'nowUs' | 'sleep'> },
  ask: {
    readonly session: () => Session;
    readonly afterNo: number;
    /** The id and the hash of the line that is continued; undefined: the first line follows. */
    readonly after: string | undefined;
    readonly hash: string | undefined;
    readonly show: (row: AuditRow, zone: Zone) => object;
  },
): (signal: AbortSignal) => AsyncGenerator<string> {
  const page = async (afterNo: number) => {
    const { accountNo, scope } = ask.session();
    const read = () => listEntriesAfter(db, accountNo, { afterNo, limit: pageRows });
    const rows = await (scope === undefined ? read() : db.inScope(scope, read));
    const beforeUs = clock.nowUs() - settleUs;
    const unsettled = rows.findIndex(({ at_us }) => at_us >= beforeUs);
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
        const entry: Entry = JSON.parse(JSON.stringify(ask.show(row, ask.session().zone)));
        const made = chainLine(end, entry);
        yield made.line;
        ({ end } = made);
        afterNo = row.audit_no;
      }
      if (rows.length < pageRows) await clock.sleep(pollMs, signal).catch(() => {});
    }
  };
}
