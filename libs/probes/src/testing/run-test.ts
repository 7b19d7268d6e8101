import { type Clock, Secret, systemClock } from '@vantage/kernel';
import type { Dial, Policy } from '../contract/dial.ts';
import type { AnyProbe, Measurement } from '../contract/probe.ts';
import { runCheck } from '../engine/run.ts';
import { createDial } from '../net/dial.ts';

/** A policy that refuses nothing. */
export const allowAll: Policy = { refuse: () => undefined };

/**
 * Runs one check of a probe in a test, with URL and Options as in the REST API. Throws if the probe refuses them, or
 * leaves a timer behind.
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
    readonly clock?: Clock & { readonly pending: number };
    /** See `ProbeContext.device`. */
    readonly device?: string;
    /** The request lists what the device offers. */
    readonly isOffer?: boolean;
    /** The values of `${secret:NAME}` and `${local:NAME}`. */
    readonly secrets?: Readonly<Record<string, string>>;
  } = {},
): Promise<Measurement> {
  const found = probe.parseTarget(url);
  if (!found.ok) throw new TypeError(found.message);
  const clock = settings.clock ?? createCountingClock();
  const seen = await runCheck(
    {
      clock,
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
      ...(settings.device !== undefined && { device: settings.device }),
      ...(settings.isOffer !== undefined && { isOffer: settings.isOffer }),
      secrets: new Map(
        Object.entries(settings.secrets ?? {}).map(([name, value]) => [name, new Secret(value)]),
      ),
    },
  );
  if (clock.pending > 0) throw new Error(`${probe.method} left ${clock.pending} timers behind`);
  return seen;
}

/** The machine's clock with the number of its pending timers. */
function createCountingClock(): Clock & { readonly pending: number } {
  const waiting = new Set<Disposable>();
  return {
    ...systemClock,
    timer(ms, fn) {
      const timer = systemClock.timer(ms, () => {
        waiting.delete(timer);
        fn();
      });
      waiting.add(timer);
      return {
        [Symbol.dispose]() {
          waiting.delete(timer);
          timer[Symbol.dispose]();
        },
      };
    },
    get pending() {
      return waiting.size;
    },
  };
}
