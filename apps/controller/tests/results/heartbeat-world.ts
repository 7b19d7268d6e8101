import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../src/results/events/record-events.ts';
import type { Heartbeats } from '../../src/results/heartbeats/heartbeats.ts';
import { createRestHealth } from '../../src/results/status/index.ts';
import { createHeartbeatFixture } from '../../src/testing/heartbeat-fixture.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
export const created = z.object({ device_id: z.string(), PushURL: z.string().optional() });
const checkRows = z.array(
  z.looseObject({
    check_id: z.string(),
    Location: z.string(),
    ResultCode: z.int(),
    CheckResult: z.string(),
    Values: z.array(z.object({ Label: z.string(), Value: z.number(), Unit: z.string() })).optional(),
  }),
);

/** The fixture of the running test file. */
export let rest: RestFixture;
export let heartbeats: Heartbeats;
let accountNo: number;
export let key: string;

/** Opens and closes the fixture of a test file. */
export function useHeartbeats(): void {
  beforeAll(async () => {
    rest = await createRestFixture({
      health: (_, clock) => createRestHealth({ clock, recordEvents }),
      pages: (db, clock) => {
        heartbeats = createHeartbeatFixture(db, clock);
        return heartbeats.routes;
      },
    });
    ({ accountNo } = await rest.account('one', 'Europe/Berlin'));
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  // 2026-09-21T13:33:20Z
  beforeEach(async () => {
    await heartbeats.receiving.round();
  });
}

/** Another controller, or the same one after a restart, is used from now on. */
export function useController(other: Heartbeats): void {
  heartbeats = other;
}

export async function add(Options: object = {}, more: object = {}) {
  const body = { Method: 'Push', URL: 'push:', ShortName: 'job', Frequency: 10, Options, ...more };
  const reply = await rest.send('POST', '/devices', { key, body });
  expect(reply.status, JSON.stringify(reply.json)).toBe(200);
  const { device_id, PushURL = '' } = created.parse(reply.json);
  const token = /^https:\/\/vantage\.test\/push\/([0-9a-f]{32})$/.exec(PushURL)?.[1] ?? '';
  expect(token).not.toBe('');
  return { device_id, token };
}

export async function call(
  path: string,
  { method = 'POST', body, address = '192.0.2.1' }: { method?: string; body?: string; address?: string } = {},
) {
  rest.clock.spend(1);
  const response = await fetch(`${rest.baseUrl.replace('/v1.1', '')}/push/${path}`, {
    method,
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': address, 'User-Agent': 'cron/1' },
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  };
}

/** Lets time pass as controllers do: calls are received all the time, and missing ones are judged. */
export async function pass(minutes: number, { isAway = false } = {}) {
  for (let passed = 0; passed < minutes * minuteMs; passed += 5_000) {
    rest.clock.spend(5_000);
    if (!isAway) await heartbeats.receiving.round();
  }
  await heartbeats.receiving.round();
  await heartbeats.judging.judge(new AbortController().signal);
}

export const checks = async (id: string) =>
  checkRows.parse((await rest.send('GET', `/devices/${id}/checks`, { key })).json);
export const texts = async (id: string) =>
  (await checks(id)).map((row) => `${row.ResultCode} ${row.CheckResult}`);
export const device = async (id: string) =>
  z.looseObject({ Status: z.string() }).parse((await rest.send('GET', `/devices/${id}`, { key })).json);
export const events = async (id: string) =>
  z
    .array(z.looseObject({ Type: z.string() }))
    .parse((await rest.send('GET', `/devices/${id}/events`, { key })).json)
    .map(({ Type }) => Type);
export const heartbeat = async (id: string) =>
  z.looseObject({}).parse((await rest.send('GET', `/devices/${id}/push`, { key })).json);
