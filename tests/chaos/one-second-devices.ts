// Devices that are checked once a second at time scale 60, and what becomes of their checks.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { withClient } from '../harness/postgres-url.ts';
import type { System } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';

/** The settings under which a minute lasts a second. */
export const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };

const found = z.object({
  checks: z.number(),
  down: z.number(),
  /** A Location is offline after a second without its agents, at this time scale. */
  offline: z.number(),
  gaps: z.number(),
  quarantined: z.number(),
});

/** The devices, their target and their ledger. */
export interface Watched extends AsyncDisposable {
  readonly target: Target;
  read(): Promise<z.output<typeof found>>;
  /** Waits until every check that the target has seen by now is stored, and returns the milliseconds that this took. */
  untilStored(): Promise<number>;
}

/** Makes the devices, and waits until each was checked twice. */
export async function watchDevices(system: System, databaseUrl: string, devices: number): Promise<Watched> {
  const target = await startTarget();
  for (let i = 0; i < devices; i += 1)
    await system.api.ok('POST', '/devices', {
      ...{ Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `d${i}`, Frequency: 1, Timeout: 5 },
    });
  const read = () =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query(
        `select (select count(*) from checks)::int as checks, (select count(*) from gaps)::int as gaps,
          (select count(*) from events where type = 'Down')::int as down,
          (select count(*) from events where type = 'LocationOffline')::int as offline,
          (select count(*) from quarantined)::int as quarantined`,
      );
      return found.parse(rows[0]);
    });
  const hasStored = (count: number, timeout: number) =>
    vi.waitFor(async () => expect((await read()).checks).toBeGreaterThanOrEqual(count), {
      timeout,
      interval: 250,
    });
  await hasStored(2 * devices, 60_000);
  return {
    target,
    read,
    async untilStored() {
      const fromMs = performance.now();
      await delay(0);
      await hasStored(target.hits.length, 120_000);
      return Math.round(performance.now() - fromMs);
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}
