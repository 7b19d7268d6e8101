import { systemClock } from '@vantage/kernel';
import { expect, it } from 'vitest';
import { createAuthenticator } from './authenticate.ts';

it('of requests with unknown keys 3 ask the database at once, 500 wait, and more get 1006', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let asking = 0;
  let most = 0;
  const authenticator = createAuthenticator({
    findSession: async () => undefined,
    findPeople: async () => [],
    findKey: async () => {
      asking += 1;
      most = Math.max(most, asking);
      await answered;
      asking -= 1;
      return undefined;
    },
    clock: systemClock,
    aliasHeaders: [],
    onLimited: () => {},
  });
  const codes: unknown[] = [];
  const all = Array.from({ length: 510 }, (_, n) =>
    authenticator
      .identify({
        headers: { 'service-api-key': `unknown-${n}` },
        query: new URLSearchParams(),
        address: `10.0.${n >> 8}.${n & 255}`,
      })
      .catch((error: unknown) => codes.push(error)),
  );
  await new Promise(setImmediate);
  expect([asking, codes.length]).toEqual([3, 7]);
  for (const refused of codes) expect(refused).toMatchObject({ code: 1006 });
  answer();
  await Promise.all(all);
  expect(most).toBe(3);
  for (const bad of codes.slice(7)) expect(bad).toMatchObject({ code: 1001 });
  expect(codes).toHaveLength(510);
});
