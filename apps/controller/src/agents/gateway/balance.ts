import { hourMs } from '@vantage/domain';
import { type Clock, declareState } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { Db } from '../../platform/db/index.ts';
import type { Session } from './session.ts';
import { countSessions } from './store.ts';

/** A gateway without a heartbeat for so long counts no more. It writes one every 4 s. */
const silentUs = 15_000_000;
/** An agent that knows no other gateway comes back; it is not asked again for so long. */
const askAgainMs = hourMs;

const tracked = declareState({
  name: 'agents_sent_to_others',
  entries: { each: 'agent that was sent to another gateway within an hour' },
  entryBytes: 60,
  filledBy: 'agents',
  atBound: 'the agents of this gateway',
});

/** The agents of this gateway, and of all living ones. */
export interface Shares {
  readonly own: number;
  readonly all: number;
  readonly gateways: number;
}

/**
 * How many agents a gateway sends to others in one round: none while it has at most a tenth (at least one) more than
 * its share, and a twentieth of its agents (at least one) otherwise, so that they do not all reconnect at once. Pure.
 */
export function surplusOf({ own, all, gateways }: Shares): number {
  const share = Math.ceil(all / Math.max(1, gateways));
  const most = share + Math.max(1, Math.floor(share / 10));
  if (gateways < 2 || own <= most) return 0;
  return Math.min(own - share, Math.max(1, Math.floor(own / 20)));
}

/** Creates the round that spreads agents over the gateways, also over one that was added. */
export function createBalance(
  { kysely, clock }: { readonly kysely: Db['kysely']; readonly clock: Clock },
  /** A random number from 0 to 1. */
  random: () => number = Math.random,
): (sessions: readonly Session[]) => Promise<void> {
  const asked = tracked(new Map<number, number>());
  return async (sessions) => {
    const nowMs = clock.monoMs();
    for (const [agentNo, atMs] of asked) if (nowMs - atMs > askAgainMs) asked.delete(agentNo);
    const counts = await countSessions(kysely, { seenAfterUs: clock.nowUs() - silentUs });
    const surplus = surplusOf({ ...counts, own: sessions.length });
    const free = sessions.filter(({ agent }) => !asked.has(agent.agentNo));
    const from = Math.floor(random() * free.length);
    for (const session of [...free.slice(from), ...free.slice(0, from)].slice(0, surplus)) {
      asked.set(session.agent.agentNo, nowMs);
      session.end(Goodbye_Reason.UNSPECIFIED, 'another controller has fewer agents: connect to that one');
    }
  };
}
