import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { AttackFixture } from './attack-fixture.ts';
import { within } from './scenes.ts';

/** A requested check. */
export interface Seen {
  readonly code: number;
  readonly text: string;
}

/** ResultCode 10 is inconclusive. */
const agentFault = 10;

const created = z.object({ device_id: z.string() });
const seen = z.object({ ResultCode: z.int(), CheckResult: z.string() });

/** Calls the API with the hostile key, and again while other attacks use all concurrent requests of that key. */
async function asHostile(
  { hostile }: AttackFixture,
  ...call: Parameters<AttackFixture['hostile']['api']['call']>
) {
  for (let left = 120; ; left -= 1) {
    const answer = await hostile.api.call(...call);
    if (answer.status !== 429 || left === 0) return answer;
    await delay(250);
  }
}

/** Creates a device of the hostile account; undefined when the API refuses it with 400. */
export async function addHostile(
  fixture: AttackFixture,
  values: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const answer = await asHostile(fixture, 'POST', '/devices', {
    ShortName: 'hostile',
    Frequency: 60,
    Timeout: 5,
    ...values,
  });
  if (answer.status === 400) return undefined;
  expect(answer.status, answer.text).toBe(200);
  return created.parse(answer.body).device_id;
}

/** Requests a check now, and again while the agent has no free slot. */
export async function checkNow(
  { hostile }: AttackFixture,
  deviceId: string,
  withinMs = 30_000,
): Promise<Seen> {
  const ask = async () => {
    const answer = await hostile.api.call('POST', `/devices/${deviceId}/check`);
    expect(answer.status, answer.text).toBe(200);
    const { ResultCode: code, CheckResult: text } = seen.parse(answer.body);
    expect(code, text).not.toBe(agentFault);
    return { code, text };
  };
  return within(withinMs, vi.waitFor(ask, { timeout: withinMs, interval: 500 }));
}

/** Waits for the check that the agent runs as soon as it has the device. */
export async function firstCheck({ hostile }: AttackFixture, deviceId: string): Promise<Seen> {
  return vi.waitFor(
    async () => {
      const [{ ResultCode: code, CheckResult: text }] = z
        .tuple([seen])
        .parse(await hostile.api.ok('GET', `/devices/${deviceId}/checks?Limit=1`));
      return { code, text };
    },
    { timeout: 30_000, interval: 100 },
  );
}

/** Removes a device, so that its retries disturb no other scene. */
export async function removeHostile(fixture: AttackFixture, deviceId: string): Promise<void> {
  const answer = await asHostile(fixture, 'DELETE', `/devices/${deviceId}`);
  expect(answer.status, answer.text).toBe(200);
}
