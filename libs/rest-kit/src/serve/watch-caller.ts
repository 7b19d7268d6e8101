import type { Clock } from '@vantage/kernel';
import type { Authenticated } from '../auth/authenticate.ts';
import { levels, type Session } from '../auth/session.ts';
import type { Route } from './route.ts';

/**
 * Everything open checks its caller at this interval; what is known of a key or session is forgotten after 4 seconds at
 * the latest, so it ends within 5.
 */
const askMs = 900;

/**
 * Whether an open answer may continue. `before` is its caller at the start, `now` the same caller at present: their
 * credential is in force, permits the route, and reaches the same devices. Pure.
 */
export function mayGoOn(before: Session, now: Session | undefined, level: Route['level']): boolean {
  if (now === undefined) return false;
  if (level !== 'none' && levels.indexOf(now.level) < levels.indexOf(level)) return false;
  return before.scope?.join() === now.scope?.join();
}

/**
 * Ends everything that a caller has open (streams, requests that wait, answers that are read) when the key, session or
 * person ends or may do less. Calls `onEnded` once, unless `closed` aborts before. While the database is unreachable
 * nothing is known of a caller, and their answers stay open.
 */
export function watchCaller({
  known,
  route,
  onNow,
  onEnded,
  closed,
  clock,
}: {
  readonly known: Authenticated;
  readonly route: Pick<Route, 'level'>;
  /** Receives the caller at present, after each check that permits the answer to continue. */
  readonly onNow: (session: Session) => void;
  readonly onEnded: () => void;
  readonly closed: AbortSignal;
  readonly clock: Pick<Clock, 'timer'>;
}): void {
  const check = async () => {
    const now = await known.again().then(
      (session) => ({ session }),
      () => undefined,
    );
    if (closed.aborted) return;
    if (now !== undefined && !mayGoOn(known.session, now.session, route.level)) return onEnded();
    if (now?.session !== undefined) onNow(now.session);
    wait();
  };
  // A timer, because a wait that an answer ends would create an error with a stack for each request.
  let timer: Disposable | undefined;
  const wait = () => {
    timer = clock.timer(askMs, () => void check());
  };
  if (closed.aborted) return;
  wait();
  closed.addEventListener('abort', () => timer?.[Symbol.dispose](), { once: true });
}
