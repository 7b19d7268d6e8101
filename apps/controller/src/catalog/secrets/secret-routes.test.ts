import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../testing/one-account.ts';

describe('secrets', () => {
  let one: OneAccount;
  beforeAll(async () => {
    one = await startOneAccount();
  });
  afterAll(() => one[Symbol.asyncDispose]());
  const reference = (name: string) => ['$', '{secret:', name, '}'].join('');
  const send = (method: string, path: string, body?: object) => one.send(method, path, body);

  it('are kept sealed, listed without their values and used by name', async () => {
    const made = await send('POST', '/secrets', { Name: 'DB_PASS', Value: 'hunter2' });
    const { secret_id } = z.strictObject({ secret_id: z.string() }).parse(made.json);
    expect((await send('POST', '/secrets', { Name: 'DB_PASS', Value: 'x' })).json).toMatchObject({
      code: 1005,
    });
    expect((await send('POST', '/secrets', { Name: 'no blanks', Value: '' })).json).toMatchObject({
      code: 1004,
    });
    expect((await send('GET', '/secrets')).json).toEqual([
      { secret_id, Name: 'DB_PASS', UpdatedAt: expect.any(String), CreatedAt: expect.any(String) },
    ]);
    const row = await one.rest.db.kysely.selectFrom('secrets').selectAll().executeTakeFirstOrThrow();
    expect(Buffer.from(row.sealed).includes('hunter2')).toBe(false);
    expect(one.rest.sealer.open(row.sealed, `secret:${secret_id}`)).toBe('hunter2');

    const device = {
      Method: 'HTTP',
      URL: 'https://example.org/',
      ShortName: 'web',
      Options: { User: 'u', Password: reference('DB_PASS') },
    };
    const unknown = { ...device, Options: { User: 'u', Password: reference('NOPE') } };
    expect((await send('POST', '/devices', unknown)).json).toMatchObject({ errors: [{ field: 'Options' }] });
    const { device_id } = z
      .object({ device_id: z.string() })
      .parse((await send('POST', '/devices', device)).json);
    expect((await send('GET', `/devices/${device_id}`)).json).toMatchObject({ Options: device.Options });

    const shown = (await send('GET', `/secrets/${secret_id}`)).json;
    expect(shown).toMatchObject({ Name: 'DB_PASS', Devices: [{ device_id, ShortName: 'web' }] });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect((await send('DELETE', `/secrets/${secret_id}`)).json).toMatchObject({
      code: 1005,
      message: expect.stringContaining('web'),
    });
    // What GET shows can be sent back: its read-only fields are ignored.
    expect((await send('PUT', `/secrets/${secret_id}`, z.looseObject({}).parse(shown))).json).toMatchObject({
      secret_id,
    });
    expect(
      (await send('PUT', `/secrets/${secret_id}`, { Name: 'DB_PASS', Value: 'new' })).json,
    ).toMatchObject({ Name: 'DB_PASS' });
    const changed = await one.rest.db.kysely.selectFrom('secrets').selectAll().executeTakeFirstOrThrow();
    expect(one.rest.sealer.open(changed.sealed, `secret:${secret_id}`)).toBe('new');
    expect((await send('PUT', `/secrets/${secret_id}`, { Name: 'OTHER' })).json).toMatchObject({
      code: 1005,
      message: expect.stringMatching(/^Name cannot be changed: this secret is DB_PASS\. /),
    });
    await send('DELETE', `/devices/${device_id}`);
    expect((await send('GET', `/secrets/${secret_id}`)).json).toMatchObject({ Devices: [] });
    expect((await send('DELETE', `/secrets/${secret_id}`)).json).toEqual({ secret_id });
  });

  it('that a script asks for must be there, and stay', async () => {
    const made = await send('POST', '/secrets', { Name: 'MAIL', Value: 'hunter3' });
    const { secret_id } = z.object({ secret_id: z.string() }).parse(made.json);
    const device = { Method: 'Script', ShortName: 'login', URL: 'log(secret("MAIL"))' };
    const unknown = { ...device, URL: `${device.URL}; log(secret('NOPE'), secret(\`MAIL\`))` };
    const refused = {
      code: 1004,
      errors: [{ field: 'URL', message: 'refers to the secret NOPE, which does not exist' }],
    };
    expect((await send('POST', '/devices', unknown)).json).toMatchObject(refused);
    const created = await send('POST', '/devices', device);
    const { device_id } = z.object({ device_id: z.string() }).parse(created.json);
    expect((await send('PUT', `/devices/${device_id}`, { URL: unknown.URL })).json).toMatchObject(refused);

    expect((await send('DELETE', `/secrets/${secret_id}`)).json).toMatchObject({
      code: 1005,
      message: expect.stringContaining(`login (${device_id})`),
    });
    await send('PUT', `/devices/${device_id}`, { URL: "log('without')" });
    expect((await send('DELETE', `/secrets/${secret_id}`)).json).toEqual({ secret_id });
  });

  it('in a script are asked for by secret() alone', async () => {
    const text = `log('${reference('ELSEWHERE')}')`;
    const sent = await send('POST', '/devices', { Method: 'Script', ShortName: 'shell', URL: text });
    expect(sent.json).toMatchObject({ device_id: expect.any(String) });
  });
});
