import { createFairSemaphore, declareShare } from '@vantage/kernel';
import { tooMuch } from '../serve/problem.ts';
import { readAhead } from '../serve/request-body.ts';
import type { Route, RouteRequest } from '../serve/route.ts';
import type { RunRoute } from '../serve/run-route.ts';
import { createPerKeySemaphore, type Stay } from './per-key-semaphore.ts';

declareShare({
  name: 'changes_in_work',
  limit: '6 changes',
  filledBy: 'keys',
  share: '2 an account; the account with the fewest is next',
});
declareShare({
  name: 'changes_until_sent',
  limit: 'one limit for each account',
  filledBy: 'keys',
  share: '2 until the answer was sent, 1,000 wait',
});
/**
 * Concurrent changes of one account. Each locks the account, so more of them would only wait, and each change that
 * waits in the database occupies a connection that other accounts need.
 */
const writesOfAccount = { running: 2, waiting: 1_000 } as const;
/** Changes of all accounts, until they are done: results, status and alerts need connections, too. */
const writesOfAll = { running: 6, perOwner: writesOfAccount } as const;

/**
 * Bounds how many changes of one account run at once. The body is read first, so that a slow caller occupies no slot.
 * A caller whose key or session ends while the body arrives, or while the change waits for a slot, changes nothing.
 */
export function limitWrites(run: RunRoute): (
  route: Route,
  request: RouteRequest,
  how: {
    readonly conditions: Parameters<RunRoute>[2];
    readonly stay: Stay;
    /** Throws a Problem (1001) where the caller has ended. */
    readonly stillAllowed: () => Promise<void>;
  },
) => ReturnType<RunRoute> {
  const writes = createPerKeySemaphore<number>(writesOfAccount);
  const all = createFairSemaphore<number>(writesOfAll);
  return async (route, request, { conditions, stay, stillAllowed }) => {
    const { session } = request;
    if (session === undefined || route.method === 'GET' || route.waits !== undefined)
      return run(route, request, conditions);
    const { body } = await readAhead(request);
    const { accountNo } = session;
    const change = async () => {
      await stillAllowed();
      return run(route, { ...request, body }, conditions);
    };
    const done = await writes.run(accountNo, () => all.run(accountNo, change, stay.signal), stay);
    if (done?.value === undefined) throw tooMuch('Too many changes of this account are waiting.');
    return done.value.value;
  };
}
