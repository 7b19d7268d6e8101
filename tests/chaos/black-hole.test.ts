// A black hole for large packets (a wrong MTU on the way, and a firewall that drops the ICMP messages about it).
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createStar, inside, netnsMissing } from '../harness/netns.ts';

const missing = netnsMissing();
const ledger = z.object({
  checks: z.number(),
  newestMs: z.number(),
  holeMs: z.number(),
  bad: z.number(),
  gaps: z.number(),
});
const report = z.object({ during: ledger, backMs: z.number(), after: ledger, said: z.array(z.string()) });

test('an agent whose large packets vanish for a minute says so, checks on, and sends everything afterwards', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  await using database = await createTestDatabase();
  using star = createStar('mt', ['c', 'a']);
  const scene = path.join(import.meta.dirname, 'black-hole-scene.ts');
  const child = spawn('ip', inside(star.host('c').netns, process.execPath, scene, 'mt', database.url), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await text(child.stdout);
  const { during, backMs, after, said } = report.parse(JSON.parse(printed.trim().split('\n').at(-1) ?? ''));
  process.stdout.write(`ledger: ${JSON.stringify({ during, backMs, after, said })}\n`);
  // The hole was one: nothing came through for most of the minute.
  expect(during.newestMs).toBeGreaterThan(30_000);
  expect(said.join()).toContain('large packets (MTU)');
  expect(backMs).toBeLessThan(60_000);
  // Each device was checked each second all the time, and every result is there.
  expect(after.holeMs).toBeLessThan(3_000);
  expect(after).toMatchObject({ bad: 0, gaps: 0 });
});
