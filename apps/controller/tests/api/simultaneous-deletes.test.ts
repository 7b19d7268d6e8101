import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

describe('two DELETEs of one resource at the same moment', () => {
  let one: OneAccount;
  beforeAll(async () => {
    one = await startOneAccount();
  });
  afterAll(() => one[Symbol.asyncDispose]());

  it.each([
    ['devices', { Method: 'TCP', URL: 'example.org:9', ShortName: 'gone' }],
    ['tags', { Name: 'gone' }],
    ['nschedules', { Name: 'gone', Steps: [] }],
    ['mschedules', { Name: 'gone', Start: '2026-01-04T02:30', Duration: '02:00' }],
    ['contacts', { Name: 'gone', Type: 'email', Address: 'noc@example.org' }],
    ['secrets', { Name: 'gone', Value: 'v' }],
    ['pages', { Name: 'gone', Path: 'gone' }],
  ])('give one 200 and the other 1003: %s', async (collection, body) => {
    for (let round = 0; round < 5; round += 1) {
      const { json } = await one.send('POST', `/${collection}`, body);
      const [id = ''] = Object.values(z.record(z.string(), z.string()).parse(json));
      const both = await Promise.all([1, 2, 3].map(() => one.send('DELETE', `/${collection}/${id}`)));
      expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400]);
      for (const refused of both.filter(({ status }) => status === 400))
        expect(refused.json).toMatchObject({ code: 1003 });
    }
    const deletes = one.rest.recorded
      .flatMap(({ changes }) => changes)
      .filter(({ action }) => action === 'delete');
    expect(deletes.length % 5).toBe(0);
  });
});
