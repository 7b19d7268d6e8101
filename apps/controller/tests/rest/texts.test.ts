import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import { device, wrongRequests } from '../../src/testing/wrong-requests.ts';

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

  it('of an unknown type of event names the likely one', async () => {
    const { json } = await one.send('GET', '/events?Type=down');
    expect(z.object({ message: z.string() }).parse(json).message).toMatch(
      /^Type: "down" is not a type of event\. Did you mean Down\? Types: Created, Deleted, /,
    );
  });

  it('of a name that is taken names the thing that has it', async () => {
    const tag = await one.create('/tags', { Name: 'idk' });
    const { json } = await one.send('POST', '/tags', { Name: 'IDK' });
    expect(json).toMatchObject({
      code: 1005,
      reason: 'name_taken',
      message: `There is already a tag "idk" (${tag}). Names are not case-sensitive.`,
    });
  });
});
