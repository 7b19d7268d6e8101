import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { addDevices } from '../../harness/more-devices.ts';
import { type System, startSystem } from '../../harness/system.ts';
import { startTarget, type Target } from '../../harness/target.ts';

/** A minute of a schedule lasts a second. */
export const env = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
/** Devices with a result a second each meanwhile; VANTAGE_TEST_BESIDE=500 tries more. */
const beside = Number(process.env['VANTAGE_TEST_BESIDE'] ?? 5);

/** The folder of these tests, and in it the data folder of their system. */
export const folder = mkdtempSync(path.join(tmpdir(), 'vantage-moved-'));
export const dataDir = path.join(folder, 'data');

/** The system of the tests of a file, and a device of it. */
export let system: System;
export let deviceId: string;
let target: Target;

beforeAll(async () => {
  target = await startTarget();
  system = await startSystem({ dataDir, env, timeoutMs: 500_000 });
  const URL = `tcp://127.0.0.1:${target.port}`;
  const device = { ShortName: 'one', Method: 'TCP', URL, Frequency: 1 };
  const created = z.object({ device_id: z.string() });
  deviceId = created.parse(await system.api.ok('POST', '/devices', device)).device_id;
  await addDevices(system, beside, target.port);
}, 600_000);
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
