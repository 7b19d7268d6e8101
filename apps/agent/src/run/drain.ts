import { type Clock, whenAborted } from '@vantage/kernel';
import type { Link, LinkHandlers } from '../stream/link.ts';
import type { Checks } from './checks.ts';
import { reportCoverage } from './rounds.ts';
import type { Stores } from './stores.ts';

/**
 * An agent that is asked to end waits at most this long for its hand-over; a container's host kills after ten seconds.
 */
const withinMs = 8_000;
const stepMs = 50;

interface DrainDeps {
  readonly clock: Clock;
  readonly link: Link;
  readonly checks: Checks;
  readonly stores: Stores;
}

/** Runs the link until the signal aborts and the agent is drained. Rejects when the link does. */
export async function runUntilDrained(
  deps: DrainDeps & { readonly handlers: LinkHandlers; readonly signal: AbortSignal },
): Promise<void> {
  const ending = new AbortController();
  const running = deps.link.run(deps.handlers, ending.signal);
  await Promise.race([running, whenAborted(deps.signal)]);
  await drain(deps);
  ending.abort();
  await running;
}

/**
 * Ends an agent's work so that no check is missed: it goes on until another agent of its Location has its devices and
 * the controller acknowledged its results. Resolves at once where the controller does not hand over, and as soon as the
 * stream ends, also where the next one is open already: the controller ends it where no other agent is there.
 */
async function drain({ clock, link, checks, stores }: DrainDeps): Promise<void> {
  const { table, uplink, sendHeartbeat } = checks;
  const { welcome } = link;
  if (!welcome?.handsOver || table.size === 0) return;
  const untilMs = clock.monoMs() + withinMs;
  const waitFor = async (isDone: () => boolean) => {
    while (link.welcome === welcome && !isDone() && clock.monoMs() < untilMs) await clock.sleep(stepMs);
  };
  sendHeartbeat(uplink.offlineReason);
  await waitFor(() => table.size === 0);
  reportCoverage({ clock, stores, checks });
  await stores.outbox.flushed();
  await waitFor(() => stores.outbox.records === 0);
}
