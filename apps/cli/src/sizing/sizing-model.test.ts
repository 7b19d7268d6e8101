import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { coresText, rounded } from './show-size.ts';
import { coresOf, type SizedLoad, sizeOf } from './sizing-model.ts';

const base: SizedLoad = { devices: 1, intervalS: 1, retentionDays: 1, agents: 1, method: 'TCP' };
const mebibyte = 2 ** 20;
/** The rows of `count` devices that are checked `aDay` times, packed and not, without roll-ups. */
function bytesACheck(load: Omit<SizedLoad, 'intervalS'> & { readonly aDay: number }): number {
  const intervalS = 86_400 / load.aDay;
  const [longer, shorter] = [60, 59].map(
    (retentionDays) => sizeOf({ ...load, intervalS, retentionDays }).diskGiB,
  );
  return (((longer ?? 0) - (shorter ?? 0)) * 2 ** 30) / (load.devices * load.aDay);
}
const packed = (aDay: number) =>
  (['TCP', 'HTTP', 'PING'] as const).reduce(
    (sum, method) => sum + bytesACheck({ ...base, devices: 1_000, method, aDay }),
    0,
  ) / 3;
/** Cores of all controllers for so many results a second in batches of 500 (`controllers` of the benchmark). */
const stored = (controllers: number, results: number) =>
  controllers *
  coresOf('controller', { results: results / controllers, batches: results / 500 / controllers });
const many = sizeOf({ ...base, devices: 20_000, intervalS: 60, agents: 1_000 });
const few = sizeOf({ ...base, devices: 1_000, intervalS: 60 });
/** 100 agents with 20,000 devices sent 334 results a second in 186 batches (`sizes` of the benchmark). */
const hundred = { results: 334, batches: 186 };
/** Two agents with 1,000 devices each 6 s (`soak` of the benchmark). */
const soak = sizeOf({ ...base, devices: 1_000, intervalS: 6, agents: 2 });

/** One agent with so many results a second, all on one machine (`whole` of the benchmark). */
const whole = (results: number) => sizeOf({ ...base, devices: results * 5, intervalS: 5 });

/** Measured figures (docs/bench.md, and before the first release), beside those of the model. */
test.each<[string, number, number]>([
  ['cores of an agent at 1,000 TCP checks a second', 0.183, sizeOf({ ...base, devices: 1_000 }).agentCores],
  ['at 2,500', 0.265, sizeOf({ ...base, devices: 2_500 }).agentCores],
  ['at 4,000', 0.42, sizeOf({ ...base, devices: 4_000 }).agentCores],
  ['at 8,000', 0.84, sizeOf({ ...base, devices: 8_000 }).agentCores],
  ['at 1,000 HTTP checks a second', 0.391, sizeOf({ ...base, devices: 1_000, method: 'HTTP' }).agentCores],
  ['at 1,000 DNS checks a second', 0.217, sizeOf({ ...base, devices: 1_000, method: 'DNS' }).agentCores],
  ['at 1,000 PING checks a second', 0.146, sizeOf({ ...base, devices: 1_000, method: 'PING' }).agentCores],
  ['at 4,000, with a controller beside it', 4 * 0.117, whole(4_000).agentCores],
  ['at 8,578, the same', 8.578 * 0.111, whole(8_578).agentCores],
  ['cores of that controller at 4,000', 4 * 0.0231, whole(4_000).controllerCores],
  ['at 8,578', 8.578 * 0.0351, whole(8_578).controllerCores],
  ['of its PostgreSQL at 4,000', 4 * 0.0284, whole(4_000).databaseCores],
  ['at 8,578', 8.578 * 0.0379, whole(8_578).databaseCores],
  ['cores of a controller with 1,000 agents', 0.63, many.controllerCores],
  ['of PostgreSQL with 1,000 agents', 0.66, many.databaseCores],
  ['cores of a controller at 3,325 results a second in batches of 500', 0.1, stored(1, 3_325)],
  ['of two at 2.17 times as many', 0.2, stored(2, 3_325 * 2.17)],
  ['of four at 3.62 times as many', 0.4, stored(4, 3_325 * 3.62)],
  ['cores of a controller with one agent and 1,000 devices', 0.0266, few.controllerCores],
  ['of its PostgreSQL', 0.0136, few.databaseCores],
  ['flushes of its disk a second', 5.4, few.flushesPerSecond],
  ['cores of a controller with 100 agents and 20,000 devices', 0.43, coresOf('controller', hundred)],
  ['of its PostgreSQL', 0.452, coresOf('database', hundred)],
  ['batches a second of two agents with 83 results a second each', 5.03, soak.batchesPerSecond],
  ['kbit a second from them', 211, soak.networkKbits],
  ['memory of a controller with 1,000 agents', 914, many.controllerMemoryMiB],
  [
    'memory of an agent with 100 devices',
    90,
    sizeOf({ ...base, devices: 100, intervalS: 60 }).agentMemoryMiB,
  ],
  ['with 10,000 devices', 135, sizeOf({ ...base, devices: 10_000, intervalS: 60 }).agentMemoryMiB],
  [
    'bytes of a fresh TCP check',
    106,
    (sizeOf({ ...base, devices: 1_000, retentionDays: 9 }).freshGiB * 1_024 * mebibyte) /
      (1_000 * 86_400 * 9),
  ],
  ['of a packed check at 1,440 a day', 14.6, packed(1_440)],
  ['at 288 a day', 17.5, packed(288)],
  ['at 24 a day', 30.6, packed(24)],
])('the model is within 25 %% of what was measured: %s', (_, measured, said) => {
  expect(Math.abs(said - measured) / measured).toBeLessThanOrEqual(0.25);
});

test('the table of docs/scaling.md is what the model says', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8');
  const rows = [
    [100, 60, 1],
    [1_000, 60, 2],
    [5_000, 60, 5],
    [10_000, 60, 10],
    [50_000, 60, 50],
    [100_000, 60, 100],
    [1_000_000, 300, 1_000],
    [10_000_000, 300, 100_000],
  ].map(([devices = 0, intervalS = 0, agents = 0]) => {
    const size = sizeOf({ devices, intervalS, agents, retentionDays: 35, method: 'HTTP' });
    const cells = [
      devices.toLocaleString('en-US'),
      `${intervalS} s`,
      agents.toLocaleString('en-US'),
      rounded(size.checksPerSecond),
      coresText(size.controllerCores),
      rounded(size.controllerMemoryMiB),
      coresText(size.databaseCores),
      rounded(size.diskGiB),
      rounded(size.flushesPerSecond),
      rounded(size.networkKbits / 1_000),
      coresText(size.agentCores),
      rounded(size.agentMemoryMiB),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  for (const row of rows) expect(page).toContain(row);
});
