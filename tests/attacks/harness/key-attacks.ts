import type { AttackFixture } from './attack-fixture.ts';
import { flood } from './crowd.ts';
import { addHostile, removeHostile } from './devices.ts';
import { pick } from './hostile-message.ts';
import { callFrom } from './https-call.ts';
import type { Attack } from './unread-attacks.ts';

const from = '127.0.0.66';
const json = { 'Content-Type': 'application/json' };
const asHostile = ({ ca, hostile }: AttackFixture) => ({ ca, headers: { 'Service-API-Key': hostile.key } });

/** The most expensive reads of a key, as many as possible. */
const expensiveReads: Attack = async (fixture, random) => {
  const paths = ['/devices?Limit=100', '/events?Limit=100', '/openapi.json', '/devices?Limit=100&fmt=xml'];
  const read = (i: number) => () =>
    callFrom(from, { ...asHostile(fixture), url: `${fixture.baseUrl}${paths[i % paths.length]}` });
  await flood(
    Array.from({ length: 10 + Math.floor(random() * 60) }, (_, i) => read(i)),
    { rounds: 20 },
  );
};

/** Reads of all that was recorded, as many at once as a key may have. */
const historyReads: Attack = async (fixture) => {
  const paths = ['/uptime', '/timeline', '/outages'];
  const read = (i: number) => () =>
    callFrom(from, {
      ...asHostile(fixture),
      url: `${fixture.baseUrl}${paths[i % paths.length]}`,
      timeoutMs: 100_000,
    });
  await flood(Array.from({ length: 16 }, (_, i) => read(i)));
};

/** Bodies of the greatest size, depth or breadth. */
const greatBodies: Attack = async (fixture, random) => {
  const body = pick(random, [
    `{"Options":${'['.repeat(500_000)}`,
    `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    JSON.stringify({ FullName: '\u{1f600}'.repeat(250_000) }),
  ]);
  const headers = { ...asHostile(fixture).headers, ...json };
  const send = () =>
    callFrom(from, { ca: fixture.ca, headers, url: `${fixture.baseUrl}/devices`, method: 'POST', body });
  await flood(
    Array.from({ length: 30 }, () => send),
    { rounds: 3 },
  );
};

/** More event streams of one key than are allowed. */
const manyEventStreams: Attack = async (fixture) => {
  const open = () =>
    callFrom(from, { ...asHostile(fixture), url: `${fixture.baseUrl}/events?stream`, timeoutMs: 5_000 });
  await flood(Array.from({ length: 120 }, () => open));
};

/** Bad keys from one address. */
const badKeys: Attack = async (fixture, random) => {
  const send = () =>
    callFrom(from, {
      ca: fixture.ca,
      url: `${fixture.baseUrl}/account`,
      headers: { 'Service-API-Key': random().toString(36).repeat(4) },
    });
  await flood(
    Array.from({ length: 100 }, () => send),
    { rounds: 3 },
  );
};

/** Scripts that take all that their agent gives them. */
const hostileScripts: Attack = async (fixture, random) => {
  const text = pick(random, [
    'const all = []; for (;;) all.push("x".repeat(100_000) + all.length);',
    "for (;;) log('x'.repeat(100_000));",
    'for (;;);',
  ]);
  const id = await addHostile(fixture, { Method: 'Script', URL: text, Timeout: 2 });
  if (id === undefined) return;
  await fixture.hostile.api.call('POST', `/devices/${id}/check`);
  await removeHostile(fixture, id);
};

/** Attacks of the holder of a key, by name. */
export const keyAttacks: Readonly<Record<string, Attack>> = {
  expensiveReads,
  historyReads,
  greatBodies,
  manyEventStreams,
  badKeys,
  hostileScripts,
};
