import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createPlanRequests } from './plan-requests.ts';

const keepMs = 4_000;

test('all Locations are requested at first, and once only', () => {
  const requests = createPlanRequests({ clock: createFakeClock(), keepMs });
  expect(requests.take().includes(7)).toBe(true);
  expect(requests.take().includes(7)).toBe(false);
});

test('a round that fails puts all its requests back', () => {
  const requests = createPlanRequests({ clock: createFakeClock(), keepMs });
  requests.take().putBack();
  expect(requests.isForAll).toBe(true);
  requests.take();
  requests.add([1, 2]);
  requests.take().putBack();
  expect([requests.isForAll, requests.locationNos]).toEqual([false, [1, 2]]);
});

test("a request for another controller's Location stays for its time and no longer", async () => {
  const clock = createFakeClock();
  const requests = createPlanRequests({ clock, keepMs });
  requests.take();
  requests.add([1]);
  await clock.advance(keepMs - 1);
  requests.take().keep(1);
  expect(requests.locationNos).toEqual([1]);
  await clock.advance(1);
  requests.take().keep(1);
  expect(requests.locationNos).toEqual([]);
});
