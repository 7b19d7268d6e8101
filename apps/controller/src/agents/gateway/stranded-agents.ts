import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { AgentSession } from './agent-session.ts';

/**
 * Longer than a failover of the database mostly takes. Another gateway takes an agent for lost 30 s after its last
 * heartbeat that was stored.
 */
const patienceMs = 15_000;

/** The agents of a gateway that cannot reach the database, while another gateway perhaps can. */
export interface StrandedAgents {
  /** The database answered. `countGateways` reads the living gateways, where it is time to. */
  reached(countGateways: () => Promise<number>): Promise<void>;
  /** The database did not answer: sends the agents to another gateway, where there was one. */
  missed(sessions: readonly Pick<AgentSession, 'end'>[]): void;
}

/** Whether a gateway sends its agents to others. Where the database is gone for all, they return. Pure. */
export function isStranding(seen: { readonly missedMs: number; readonly gateways: number }): boolean {
  return seen.gateways > 1 && seen.missedMs >= patienceMs;
}

/** Creates the watch of one gateway. */
export function createStrandedAgents({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Logger;
}): StrandedAgents {
  let reachedMs = clock.monoMs();
  let countedMs = Number.NEGATIVE_INFINITY;
  let gateways = 1;
  return {
    async reached(countGateways) {
      reachedMs = clock.monoMs();
      if (reachedMs - countedMs < patienceMs) return;
      countedMs = reachedMs;
      try {
        gateways = await countGateways();
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'the gateways are not counted');
      }
    },
    missed(sessions) {
      if (sessions.length === 0 || !isStranding({ missedMs: clock.monoMs() - reachedMs, gateways })) return;
      log.warn(
        { agents: sessions.length },
        'the database is out of reach: agents are sent to other controllers',
      );
      for (const session of sessions)
        session.end(
          Goodbye_Reason.UNSPECIFIED,
          'this controller cannot reach its database: connect to another one',
        );
    },
  };
}
