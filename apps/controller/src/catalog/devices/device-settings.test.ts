import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let key: string;
beforeAll(async () => {
  rest = await createRestFixture();
  const { accountNo } = await rest.account('one');
  ({ key } = await rest.key(accountNo, 'UW'));
});
afterAll(() => rest[Symbol.asyncDispose]());

it('a device is critical until somebody says otherwise; null is the default again', async () => {
  const send = (method: string, path: string, body?: object) =>
    rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });
  const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
  const create = async (body: object) =>
    z.object({ device_id: z.string() }).parse((await send('POST', '/devices', body)).json).device_id;
  const id = await create({ ...tcp, Severity: 'info' });
  await create(tcp);
  expect((await send('GET', '/devices')).json).toMatchObject([
    { Severity: 'info' },
    { Severity: 'critical' },
  ]);
  const revision = async () => {
    const row = rest.db.kysely.selectFrom('devices').select('revision').where('device_id', '=', id);
    return (await row.executeTakeFirstOrThrow()).revision;
  };
  const before = await revision();
  const put = (Severity: unknown) => send('PUT', `/devices/${id}`, { Severity });
  expect((await put('warning')).json).toMatchObject({ Severity: 'warning' });
  expect(rest.recorded.at(-1)?.changes).toMatchObject([
    { fields: [{ field: 'Severity', old: 'info', new: 'warning' }] },
  ]);
  expect((await put(null)).json).toMatchObject({ Severity: 'critical' });
  expect(await revision()).toBe(before);
  expect((await put('major')).json).toMatchObject({
    message: 'Severity must be one of "critical", "warning", "info", or null, but "major" was sent.',
  });
});
