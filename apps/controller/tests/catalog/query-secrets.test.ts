import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useAccountPerTest } from '../../src/testing/account-per-test.ts';

const URL = 'https://h.example/health?token=s3cret-t0ken&page=2';
const shown = 'https://h.example/health?token=***&page=2';
const device = { Method: 'HTTP', ShortName: 'web', URL };

describe('credentials in the query of a URL', () => {
  const api = useAccountPerTest();
  const { send, create } = api;

  it('are shown as ***, in answers, lists and the audit', async () => {
    const id = await create('/devices', device);
    for (const path of [`/devices/${id}`, '/devices', '/audit', '/devices?fmt=csv']) {
      const { text } = await send('GET', path);
      expect(text).toContain('token=***');
      expect(text).not.toContain('s3cret-t0ken');
    }
  });

  it('stay when the mask comes back, while scheme, host, port and user stay', async () => {
    const id = await create('/devices', device);
    const other = 'https://h.example/other?page=3&token=***';
    expect((await send('PUT', `/devices/${id}`, { URL: other })).json).toMatchObject({ URL: other });
    const { json } = await send('PUT', `/devices/${id}`, { URL: 'https://evil.example/?token=***' });
    expect(json).toMatchObject({ code: 1004, errors: [{ field: 'URL' }] });
    expect((await send('PUT', `/devices/${id}`, { URL: 'https://h.example/?sig=***' })).json).toMatchObject({
      code: 1004,
      message: expect.stringContaining('for sig in its query'),
    });
  });

  it('of an earlier version are masked by the migration', async () => {
    const id = await create('/devices', device);
    const { kysely } = api.rest.db;
    const nested = await create('/devices', { ...device, URL: 'https://h.example/?next=/a?token=x' });
    await sql`update devices set url = ${URL} where device_id = ${id}`.execute(kysely);
    const file = new globalThis.URL(
      '../../../../libs/storage/src/migrations/0061-masked-queries.sql',
      import.meta.url,
    );
    await sql.raw(await readFile(file, 'utf8')).execute(kysely);
    expect((await send('GET', `/devices/${id}`)).json).toMatchObject({ URL: shown });
    expect((await send('GET', `/devices/${nested}`)).json).toMatchObject({
      URL: 'https://h.example/?next=/a?token=x',
    });
  });
});
