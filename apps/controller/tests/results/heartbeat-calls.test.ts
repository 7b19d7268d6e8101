import { describe, expect, it } from 'vitest';
import { add, call, texts, useHeartbeats } from './heartbeat-world.ts';

useHeartbeats();

describe('calls', () => {
  it('with guessed tokens meet the limit of bad keys; a good token is served also then', async () => {
    const { token } = await add();
    const address = '198.51.100.7';
    const statuses = [];
    for (let i = 0; i < 22; i += 1)
      statuses.push((await call(i.toString(16).padStart(32, '0'), { address })).status);
    expect(statuses).toEqual([...Array(20).fill(404), 429, 429]);
    expect(Number((await call('f'.repeat(32), { address })).retryAfter)).toBeGreaterThan(0);
    expect((await call('no token', { address })).status).toBe(429);
    expect((await call(token, { address })).status).toBe(200);
  });

  it('of one token are limited to a rate', async () => {
    const { token } = await add();
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => (await call(`${token}/log`)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it('that are malformed get a text', async () => {
    const { token } = await add();
    expect(await call(`${token}/256`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('exit status'),
    });
    expect((await call(`${token}?rid=a%20b`)).status).toBe(400);
    expect((await call(token, { method: 'DELETE' })).status).toBe(400);
  });

  it('of many devices at once are stored together, each once', async () => {
    const devices = await Promise.all(Array.from({ length: 40 }, () => add()));
    const answers = await Promise.all(devices.map(async ({ token }) => (await call(token)).status));
    expect(new Set(answers)).toEqual(new Set([200]));
    for (const { device_id } of devices) expect(await texts(device_id)).toEqual(['1 success']);
  });
});
