import { advanceUntilEnded, type FakeClock } from '@vantage/kernel/testing';
import type { AnyProbe, Measurement } from '../contract/probe.ts';
import { runTest } from './run-test.ts';

/** A check with its values by label. */
export type CheckWithValues = Omit<Measurement, 'values'> & {
  readonly values: Readonly<Record<string, number>>;
};

/** Checks a device, which a Method remembers from one check to the next; first the clock advances by `afterMs`. */
export type DeviceChecks = (
  options: unknown,
  more?: { readonly device?: string; readonly afterMs?: number },
) => Promise<CheckWithValues>;

/** Checks of the device at `url` under a fake clock, by default a minute after each other. */
export function deviceChecks(probe: AnyProbe, url: string, clock: FakeClock): DeviceChecks {
  return async (options, { device = '7', afterMs = 60_000 } = {}) => {
    if (afterMs > 0) await clock.advance(afterMs);
    const running = runTest(probe, url, options, { clock, timeoutMs: 20_000, device });
    const seen = await advanceUntilEnded(clock, 100, running);
    const values = Object.fromEntries((seen.values ?? []).map(({ Label, Value }) => [Label, Value]));
    return { ...seen, values };
  };
}
