import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Rest, startRest } from './testing/rest.ts';

describe('two DELETEs of one resource at the same moment', () => {
  let rest: Rest;
  let key: string;
  beforeAll(async () => {
    rest = await startRest();
    const { accountNo } = await rest.account('one');
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  it.each([
    ['devices', { Method: 'TCP', URL: 'example.org:9', ShortName: 'gone' }],
    ['tags', { Name: 'gone' }],
    ['nschedules', { Name: 'gone', Steps: [] }],
    ['contacts', { Name: 'gone', Type: 'email', Address: 'noc@example.org' }],
    ['secrets', { Name: 'gone', Value: 'v' }],
  ])('give one 200 and the other 1003: %s', async (collection, body) => {
    for (let round = 0; round < 5; round += 1) {
      const { json } = await rest.send('POST', `/${collection}`, { key, body });
      const [id = ''] = Object.values(z.record(z.string(), z.string()).parse(json));
      const both = await Promise.all(
        [1, 2, 3].map(() => rest.send('DELETE', `/${collection}/${id}`, { key })),
      );
      expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400]);
      for (const refused of both.filter(({ status }) => status === 400))
        expect(refused.json).toMatchObject({ code: 1003 });
    }
    const deletes = rest.recorded
      .flatMap(({ changes }) => changes)
      .filter(({ action }) => action === 'delete');
    expect(deletes.length % 5).toBe(0);
  });
});
