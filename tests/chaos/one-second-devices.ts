// Devices that are checked once a second at time scale 60, and what becomes of their checks.
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { System } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';

/** The settings under which a minute lasts a second. */
export const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };

const created = z.object({ device_id: z.string() });
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
  /**
   * Waits until as many checks are stored as the target has seen by now, and returns the milliseconds that this took.
   */
  untilBack(): Promise<number>;
  /**
   * Pauses the devices, waits for the last checks and their records, and compares: `hits` are the connections that the
   * target saw.
   */
  settle(): Promise<z.output<typeof found> & { readonly hits: number }>;
}

/** Creates the devices, and waits until each was checked twice. */
export async function watchDevices(system: System, databaseUrl: string, devices: number): Promise<Watched> {
  const target = await startTarget();
  const ids: string[] = [];
  for (let i = 0; i < devices; i += 1) {
    const device = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `d${i}` };
    const answer = await system.api.ok('POST', '/devices', { ...device, Frequency: 1, Timeout: 5 });
    ids.push(created.parse(answer).device_id);
  }
  const read = () =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query(
        `select (select count(*) from check_rows where device_no in (select device_no from devices where url = '127.0.0.1:${target.port}'))::int as checks, (select count(*) from gaps)::int as gaps,
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
    async untilBack() {
      const fromMs = performance.now();
      await hasStored(target.hits.length, 120_000);
      return Math.round(performance.now() - fromMs);
    },
    async settle() {
      for (const id of ids) await system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
      for (let before = -1; before !== target.hits.length; ) {
        before = target.hits.length;
        await delay(3_000);
      }
      const hits = target.hits.length;
      await hasStored(hits, 30_000).catch(() => {});
      return { ...(await read()), hits };
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}
