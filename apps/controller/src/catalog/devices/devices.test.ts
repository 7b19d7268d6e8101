import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rest, startRest } from '../../http/testing/rest.ts';

describe('devices', () => {
  let rest: Rest;
  let key: string;
  beforeAll(async () => {
    rest = await startRest();
    const { accountNo } = await rest.account('one', 'Europe/Berlin');
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const tcp = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'tcp-1' };
  const create = async (body: object): Promise<string> => {
    const { status, json, text } = await rest.send('POST', '/devices', { key, body });
    expect(text).toMatch(/^\{"device_id":"[0-9a-f]{48}"\}$/);
    expect(status).toBe(200);
    return (json as { device_id: string }).device_id;
  };

  it('are created with defaults and read back', async () => {
    const id = await create(tcp);
    const { status, json } = await rest.send('GET', `/devices/${id}?WithConfig=Y`, { key });
    expect(json).toMatchObject({
      ...tcp,
      device_id: id,
      Status: 'Unknown',
      Retrying: false,
      LastCheckResult: null,
      Frequency: 5,
      Timeout: 30,
      Retries: 2,
      RetryDelay: 1,
      FullName: null,
      Locations: ['local'],
      HostData: {},
      Tags: [],
      Warnings: [],
    });
    expect(status).toBe(200);
  });

  it('hello, openapi and everything else answer', async () => {
    for (const path of [
      '/hello',
      '/openapi.json',
      '/tags',
      '/account',
      '/locations',
      '/agents',
      '/events',
      '/devices',
    ]) {
      const { status, text } = await rest.send('GET', path, { key });
      expect([path, status, text.slice(0, 300)]).toEqual([path, 200, expect.anything()]);
      console.log(path, text.slice(0, 400));
    }
  });
});
