// The database's host disappears without a word: no end of a connection, no refusal. In network namespaces.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hasPrograms } from '../harness/database-servers.ts';
import { createStar, inside, netnsMissing } from '../harness/netns.ts';
import { giveHostsFile, hosts } from './database-hosts.ts';

const missing = hasPrograms ? netnsMissing() : 'this machine lacks the programs of PostgreSQL 15';

/** Plays a scene in namespace `c`, and returns its report. */
async function play<T>(tag: string, args: readonly string[], report: z.ZodType<T>): Promise<T> {
  using star = createStar(tag, hosts);
  const { netns } = star.host('c');
  using _hosts = giveHostsFile(netns);
  const [scene = '', ...rest] = args;
  const program = path.join(import.meta.dirname, scene);
  const child = spawn('ip', inside(netns, process.execPath, program, tag, ...rest), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const last = (await text(child.stdout)).trim().split('\n').at(-1) ?? '';
  process.stdout.write(`${scene}: ${last}\n`);
  return report.parse(JSON.parse(last));
}

const numbers = z.record(z.string(), z.union([z.number(), z.string()]));

test.for(['name', 'address'] as const)(
  'a primary that is gone without a word costs half a minute at most: a standby takes its %s, requests are answered and every result is stored',
  async (way, { skip }) => {
    skip(missing !== undefined, missing);
    const seen = await play(`l${way[0]}`, ['lost-database-scene.ts', way], numbers);
    // The silence is said when it begins and when it ends.
    expect(seen).toMatchObject({ lines: 2, down: 0, offline: 0 });
    expect(Number(seen['rows'])).toBeLessThanOrEqual(Number(seen['hits']));
  },
);

test('one controller of two that is cut off from the database gives its agents and leases to the other, and nobody is told twice', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const seen = await play(
    'cd',
    ['cut-controller-scene.ts'],
    z.looseObject({ messages: z.array(z.string()), rows: z.number(), hits: z.number() }),
  );
  // The agent was with the controller that is cut off, and the other one served all the time.
  expect(seen).toMatchObject({ wasOwn: true, refused: 0, offline: 0, down: 1, gaps: 0 });
  expect(seen.rows).toBe(seen.hits);
  const types = [...new Set(seen.messages)].map((message) => message.split(' ')[1]);
  expect(types).toEqual(['device.down', 'device.up']);
  expect(seen.messages).toHaveLength(2);
});
