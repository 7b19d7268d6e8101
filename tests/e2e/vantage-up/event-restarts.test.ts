import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { system } from './system.ts';

/** So often the controller is killed; VANTAGE_TEST_RESTARTS=20 takes some minutes. */
const restarts = Number(process.env['VANTAGE_TEST_RESTARTS'] ?? 3);
const perRestart = 12;
const soon = { timeout: 600_000, interval: 50 };

const eventList = z.array(z.object({ event_id: z.string() }));
const created = z.object({ device_id: z.string() });

/** Creates a paused device, which makes an event; it is asked for again while the controller restarts. */
async function createDevice(name: string): Promise<string> {
  const headers = { 'Idempotency-Key': name };
  const body = {
    Method: 'TCP',
    URL: '192.0.2.1:9',
    ShortName: name.slice(-8),
    Enabled: false,
    Locations: [],
  };
  return vi.waitFor(async () => {
    const answer = await system.api.call('POST', '/devices', body, headers);
    expect(answer.status, answer.text).toBe(200);
    return created.parse(answer.body).device_id;
  }, soon);
}

/** Ids of the newest events, oldest first: more than are made between two looks. */
async function newestEvents(): Promise<readonly string[]> {
  const page = eventList.parse(await system.api.ok('GET', '/events?Limit=100'));
  return page.map(({ event_id }) => event_id).reverse();
}

/** Ids of all events, oldest first. */
async function allEvents(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let query = '?Limit=100'; ; query = `?Limit=100&Before=${ids.at(-1)}`) {
    const page = eventList.parse(await system.api.ok('GET', `/events${query}`));
    ids.push(...page.map(({ event_id }) => event_id));
    if (page.length < 100) return ids.reverse();
  }
}

function follow(after: string) {
  const { base_url, api_key_uw, ca_file } = system.quickstart();
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'follow-events.ts'), after], {
    env: { ...process.env, BASE_URL: base_url, KEY: api_key_uw, NODE_EXTRA_CA_CERTS: ca_file },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  return {
    got: () => text.split('\n').slice(0, -1),
    breaks: () => errors.split('\n').filter((line) => line === 'broken').length,
    said: () => errors,
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

test(`the event iterator has every event once and in order over ${restarts} killed controllers`, async () => {
  await createDevice('first-00');
  const [first = ''] = await allEvents();
  const after = (await newestEvents()).at(-1) ?? first;
  using following = follow(after);
  const caughtUp = () =>
    vi.waitFor(async () => {
      const newest = (await newestEvents()).at(-1);
      expect(following.got().at(-1), following.said()).toBe(newest);
    }, soon);
  await createDevice('first-01');
  await caughtUp();
  for (let restart = 0; restart < restarts; restart += 1) {
    const { controller } = system.quickstart().pids;
    const names = Array.from({ length: perRestart }, (_, n) => `${restart}-${n}`.padStart(8, 'd'));
    const last = (await newestEvents()).at(-1) ?? after;
    const writing = Promise.all(names.map(createDevice));
    // The controller ends in the middle of the writing, at another event each time.
    await vi.waitFor(async () => {
      const now = await newestEvents();
      expect(now).toContain(last);
      expect(now.length - now.indexOf(last)).toBeGreaterThan(restart % perRestart);
    }, soon);
    process.kill(controller, 'SIGKILL');
    await writing;
    await expect.poll(() => system.quickstart().pids.controller).not.toBe(controller);
    await caughtUp();
  }
  await caughtUp();
  const ids = await allEvents();
  expect(following.got()).toEqual(ids.slice(ids.indexOf(after) + 1));
  expect(following.got().length).toBeGreaterThanOrEqual(restarts * perRestart);
  // A kill while the iterator comes back breaks no stream.
  expect(following.breaks()).toBeGreaterThanOrEqual(1);
}, 3_600_000);
