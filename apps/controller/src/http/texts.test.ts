import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Rest, startRest } from '../api/testing/rest.ts';
import { device, wrongRequests } from './testing/wrong-requests.ts';

describe('the text of a refusal', () => {
  let rest: Rest;
  let key: string;
  let id: string;
  beforeAll(async () => {
    rest = await startRest();
    ({ key } = await rest.key((await rest.account('one')).accountNo, 'UW'));
    const { json } = await rest.send('POST', '/devices', { key, body: device });
    id = z.object({ device_id: z.string() }).parse(json).device_id;
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  it.each(wrongRequests)('%s %j', async (request, body, answer) => {
    const [method = '', path = ''] = request.replace('ID', id).split(' ');
    const { json } = await rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });
    const { code, message } = z.object({ code: z.int(), message: z.string() }).parse(json);
    expect(`${code} ${message}`).toBe(answer);
  });
});
