import { systemClock } from '@vantage/kernel';
import { createDial, type Dial } from '../dial.ts';
import type { AnyProbe, Measurement, Policy } from '../probe.ts';
import { runCheck } from '../run.ts';

/** The policy of an agent that may do everything. */
export const allowAll: Policy = { refuse: () => undefined };

/**
 * Runs one real check of a probe in a test: URL and Options as the REST API would take them (defaults applied). Throws when the probe
 * itself refuses URL or Options.
 */
export async function runTest(
  probe: AnyProbe,
  url: string,
  options: unknown = {},
  settings: {
    readonly timeoutMs?: number;
    readonly policy?: Policy;
    readonly dial?: Dial;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Measurement> {
  const found = probe.parseTarget(url);
  if (!found.ok) throw new TypeError(found.message);
  return runCheck(
    {
      clock: systemClock,
      policy: settings.policy ?? allowAll,
      dial: settings.dial ?? createDial(),
      signal: settings.signal ?? new AbortController().signal,
      random: Math.random,
    },
    {
      probe,
      target: found.target,
      options: probe.options.parse(options),
      timeoutMs: settings.timeoutMs ?? 5000,
    },
  );
}
