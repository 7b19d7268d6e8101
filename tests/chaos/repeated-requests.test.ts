// The controller is killed in the middle of POSTs with an Idempotency-Key. Whatever the moment, each is done exactly
// once.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startSystem } from '../harness/system.ts';

const rounds = 6;
const atOnce = 8;
const answered = z.object({ tag_id: z.string() });

test('a POST that is repeated with its Idempotency-Key after kill -9 of the controller is done exactly once', {
  timeout: 300_000,
}, async () => {
  await using system = await startSystem({ timeoutMs: 180_000 });
  const sent = new Map<string, string>();
  /** Repeats the request until it is answered, as a client does that loses connections. */
  const persist = async (name: string): Promise<void> => {
    const id = randomUUID();
    for (const until = performance.now() + 60_000; performance.now() < until; await delay(50)) {
      const reply = await system.api
        .call('POST', '/tags', { Name: name }, { 'Idempotency-Key': id })
        .catch(() => undefined);
      if (reply?.status !== 200) continue;
      sent.set(name, answered.parse(reply.body).tag_id);
      return;
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const { controller } = system.quickstart().pids;
    const names = Array.from({ length: atOnce }, (_, n) => `round-${round}-${n}`);
    const requests = names.map(persist);
    await delay(Math.random() * 25);
    process.kill(controller, 'SIGKILL');
    await Promise.all(requests);
    while (system.quickstart().pids.controller === controller) await delay(50);
  }
  const tags = z
    .array(z.object({ tag_id: z.string(), Name: z.string() }))
    .parse(await system.api.ok('GET', '/tags'));
  expect(tags.map(({ Name, tag_id }) => [Name, tag_id]).sort(byName)).toEqual([...sent].sort(byName));
  expect(tags).toHaveLength(rounds * atOnce);
});

function byName([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a < b ? -1 : 1;
}
