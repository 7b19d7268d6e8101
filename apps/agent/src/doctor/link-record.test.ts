import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import { WelcomeSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { recordLink } from './link-record.ts';

const endpoint = 'https://c:8444';

test('the record keeps the present connection and the latest end, and passes both on', () => {
  const clock = createFakeClock();
  const calls: string[] = [];
  const { handlers, record } = recordLink(
    {
      hello: () => Promise.resolve({}),
      onUp: () => calls.push('up'),
      onMessage: () => calls.push('message'),
      onDown: () => calls.push('down'),
    },
    clock,
  );
  expect(record()).toEqual({ up: undefined, lastDown: undefined });
  handlers.onUp(create(WelcomeSchema, { locationName: 'berlin' }), endpoint);
  expect(record().up).toMatchObject({ endpoint, location: 'berlin' });
  handlers.onDown({ kind: 'lost', text: 'reset', lastedMs: 1 }, endpoint);
  expect(record()).toMatchObject({ up: undefined, lastDown: { endpoint, text: 'no connection: reset' } });
  expect(calls).toEqual(['up', 'down']);
});
