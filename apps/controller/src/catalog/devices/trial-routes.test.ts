import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';
import { triedWell } from '../../testing/rest-fixture.ts';
import { openTarget } from './stored-target.ts';

let one: OneAccount;
/** The settings of the last trial. */
let tried: unknown;
beforeAll(async () => {
  one = await startOneAccount({
    runTrial: async (trial, signal) => {
      tried = openTarget(one.rest.sealer, trial.deviceId, trial.sealed);
      return triedWell(trial, signal);
    },
  });
});
afterAll(() => one[Symbol.asyncDispose]());

const web = { Method: 'HTTP', URL: 'https://me:secret@a.example/', ShortName: 'web' };
const created = z.object({ device_id: z.string() });

test('a trial of a stored device uses its secrets in the place of masks, as long as they go to the same host', async () => {
  const Options = { Headers: { 'X-Api-Key': 'k1' }, Password: 'p1' };
  const body = { ...web, Options, Locations: ['local'] };
  const { device_id } = created.parse((await one.send('POST', '/devices', body)).json);
  const device = await one.send('GET', `/devices/${device_id}`);
  const shown = z.object({ URL: z.string(), Options: z.unknown() }).parse(device.json);
  expect(JSON.stringify(shown)).not.toMatch(/secret|k1|p1/);
  const trial = { Method: 'HTTP', ...shown, Location: 'local' };
  expect((await one.send('POST', '/checks/trial', trial)).json).toMatchObject({ code: 1004 });
  expect((await one.send('POST', '/checks/trial', { ...trial, device_id })).status).toBe(200);
  expect(tried).toMatchObject({ url: web.URL, options: Options });
  const elsewhere = { ...trial, URL: shown.URL.replace('a.example', 'b.example'), device_id };
  expect((await one.send('POST', '/checks/trial', elsewhere)).json).toMatchObject({ code: 1004 });
});

test.each([
  ['no id', 'x', 'HTTP'],
  ['no device', 'a'.repeat(48), 'HTTP'],
])('a device_id that is %s is refused', async (_, device_id, Method) => {
  const answer = await one.send('POST', '/checks/trial', { ...web, Method, device_id, Location: 'local' });
  expect(answer.json).toMatchObject({ code: 1004, errors: [{ field: 'device_id' }] });
});
