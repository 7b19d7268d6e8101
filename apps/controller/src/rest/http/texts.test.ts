import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../api/testing/one-account.ts';
import { device, wrongRequests } from './testing/wrong-requests.ts';

describe('the text of a refusal', () => {
  let one: OneAccount;
  let id: string;
  beforeAll(async () => {
    one = await startOneAccount();
    const { json } = await one.send('POST', '/devices', device);
    id = z.object({ device_id: z.string() }).parse(json).device_id;
  });
  afterAll(() => one[Symbol.asyncDispose]());

  it.each(wrongRequests)('%s %j', async (request, body, answer) => {
    const [method = '', path = ''] = request.replace('ID', id).split(' ');
    const { json } = await one.send(method, path, body);
    const { code, message } = z.object({ code: z.int(), message: z.string() }).parse(json);
    expect(`${code} ${message}`).toBe(answer);
  });
});
