import { hourMs } from '@vantage/domain';
import { type Clock, declareState } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { Db } from '@vantage/storage';
import type { AgentSession } from './agent-session.ts';
import { countSessions } from './controller-store.ts';

/** An agent that knows no other gateway returns; it is not redirected again for this long. */
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
  readonly here: number;
  readonly all: number;
  readonly gateways: number;
}

/**
 * The number of agents that a gateway redirects in one round: none while it has at most a tenth (at least one) more
 * than its share, else a twentieth of its agents (at least one), so they do not all reconnect at once. Pure.
 */
export function surplusOf({ here, all, gateways }: Shares): number {
  const share = Math.ceil(all / Math.max(1, gateways));
  const tolerated = share + Math.max(1, Math.floor(share / 10));
  if (gateways < 2 || here <= tolerated) return 0;
  return Math.min(here - share, Math.max(1, Math.floor(here / 20)));
}

/** Creates the round that spreads agents over the gateways, also over one that was added. */
export function createBalance(
  { kysely, clock }: { readonly kysely: Db['kysely']; readonly clock: Clock },
  /** A random number from 0 to 1. */
  random: () => number = Math.random,
): (sessions: readonly AgentSession[]) => Promise<void> {
  const redirected = tracked(new Map<number, number>());
  return async (sessions) => {
    const nowMs = clock.monoMs();
    for (const [agentNo, atMs] of redirected) if (nowMs - atMs > askAgainMs) redirected.delete(agentNo);
    const counts = await countSessions(kysely, { nowUs: clock.nowUs() });
    const surplus = surplusOf({ ...counts, here: sessions.length });
    const free = sessions.filter(({ agent }) => !redirected.has(agent.agentNo));
    const from = Math.floor(random() * free.length);
    for (const session of [...free.slice(from), ...free.slice(0, from)].slice(0, surplus)) {
      redirected.set(session.agent.agentNo, nowMs);
      session.end(Goodbye_Reason.UNSPECIFIED, 'another controller has fewer agents: connect to that one');
    }
  };
}
