import { type Clock, whenAborted } from '@vantage/kernel';
import type { ControllerLink, LinkHandlers } from '../stream/controller-link.ts';
import type { Checks } from './checks.ts';
import { reportCoverage } from './report-coverage.ts';
import type { Stores } from './stores.ts';

/** Time limit of the hand-over when the agent stops. Container hosts kill a process after ten seconds. */
const withinMs = 8_000;
const stepMs = 50;

interface DrainDeps {
  readonly clock: Clock;
  readonly link: ControllerLink;
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
 * Stops the agent without missing a check: it keeps running until another agent of its Location has its devices and the
 * controller has acknowledged its results. Resolves at once if the controller does not hand over, and as soon as the
 * stream ends, even if the next one is open already: the controller ends it when there is no other agent.
 */
async function drain({ clock, link, checks, stores }: DrainDeps): Promise<void> {
  const { table, uplink, sendHeartbeat } = checks;
  const { session } = link;
  if (!session?.handsOver || table.size === 0) return;
  const untilMs = clock.monoMs() + withinMs;
  const waitFor = async (isDone: () => boolean) => {
    while (link.session === session && !isDone() && clock.monoMs() < untilMs) await clock.sleep(stepMs);
  };
  sendHeartbeat(uplink.offlineReason);
  await waitFor(() => table.size === 0);
  reportCoverage({ clock, stores, checks });
  await stores.outbox.flushed();
  await waitFor(() => stores.outbox.records === 0);
}
