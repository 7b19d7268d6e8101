import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import type { DeviceMaintenance } from './device-maintenance-routes.ts';

const asked: Parameters<DeviceMaintenance['startMaintenance']>[1][] = [];
let rest: RestFixture;
let key: string;
let path: string;
beforeAll(async () => {
  rest = await createRestFixture({
    health: () => ({
      startMaintenance: async (_, ask) => void asked.push(ask),
      stopMaintenance: async () => 0,
      cancelOccurrence: async () => {},
      uptimes: async () => new Map(),
      timelines: async () => {},
    }),
  });
  const { accountNo } = await rest.account('one', 'Europe/Berlin');
  ({ key } = await rest.key(accountNo, 'UW'));
  const body = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
  const { json } = await rest.send('POST', '/devices', { key, body });
  path = `/devices/${z.object({ device_id: z.string() }).parse(json).device_id}/start-maintenance`;
});
afterAll(() => rest[Symbol.asyncDispose]());

it("starts now, or at a Start in the account's zone, with a Reason", async () => {
  for (const body of [{}, { Duration: '00:30', Reason: 'new disk', Start: '2026-09-22T08:00:00' }])
    expect((await rest.send('PUT', path, { key, body })).status).toBe(200);
  expect(asked).toMatchObject([
    { durationUs: 3_600_000_000, reason: null },
    { durationUs: 1_800_000_000, reason: 'new disk', startUs: Date.parse('2026-09-22T06:00:00Z') * 1000 },
  ]);
});

it.each([
  [{ Start: 'tomorrow' }, '1004 Start must be a timestamp as 2026-02-25T22:38:03+01:00'],
  [{ Start: '2026-09-21T00:00:00Z' }, '1004 Start must not lie in the past; leave it out to start now'],
  [{ Start: '2027-12-01T00:00:00Z' }, '1004 Start must lie within a year from now'],
  [{ Reason: 'two\nlines' }, '1004 Reason must be one line'],
])('%j is refused: %s', async (body, text) => {
  const { json } = await rest.send('PUT', path, { key, body });
  const { code, message } = z.object({ code: z.int(), message: z.string() }).parse(json);
  expect(`${code} ${message}`.slice(0, text.length)).toBe(text);
});
