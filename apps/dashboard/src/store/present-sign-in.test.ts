import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type AccountFixture, hardWorlds } from '../testing/account-fixture.ts';
import { answerFor } from '../testing/fake-api.ts';
import { usePage } from '../testing/use-page.ts';

const page = usePage();
const soon = { timeout: 60_000 };

const [first, second] = hardWorlds as readonly [AccountFixture, AccountFixture, ...AccountFixture[]];
/** The devices of another account have other ids. */
const other: AccountFixture = {
  ...second,
  devices: second.devices.map((device, n) => ({ ...device, id: `e${n}`.padEnd(48, '0'), masterId: null })),
};

/** Answers like a controller with two accounts, of which a key signs in to one. Each may be made to wait. */
function twoAccounts() {
  const keys: Readonly<
    Record<string, readonly [world: AccountFixture, level: string, tags: readonly string[] | null]>
  > = {
    'key of A': [first, 'UW', null],
    'viewing key of A': [first, 'UR', null],
    'limited key of A': [first, 'UW', ['berlin']],
    'key of B': [other, 'UW', null],
  };
  let present: string | undefined;
  const waits: (() => Promise<void>)[] = [];
  const asked: string[] = [];
  page.answerBy(async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname}`);
    if (pathname === '/v1.1/session') {
      if (request.method === 'DELETE') {
        present = undefined;
        return Response.json({ SignOut: null });
      }
      if (request.method === 'POST') present = String(((await request.json()) as { Key?: string }).Key);
      if (present === undefined) return Response.json({ code: 1001, message: '' }, { status: 400 });
      const [, Level = '', Tags = null] = keys[present] ?? [];
      return Response.json({
        Name: 'noc',
        Level,
        Tags,
        HasPassword: false,
        CsrfToken: `token of ${present}`,
      });
    }
    if (pathname === '/sign-in/ways')
      return Response.json({ Provider: false, Proxy: false, Session: present !== undefined });
    const [world] = keys[present ?? ''] ?? [];
    if (world === undefined) return Response.json({ code: 1001, message: '' }, { status: 400 });
    const answer = answerFor({ ...world, accountId: world === other ? 'B' : 'A' }, request);
    const wait = pathname === '/v1.1/states' ? waits.shift() : undefined;
    await wait?.();
    return answer;
  });
  return {
    asked,
    delayStates: (wait: () => Promise<void>) => waits.push(wait),
    /** The session ends by itself, and its cookie is good for nothing. */
    endSession: () => {
      present = undefined;
    },
  };
}

const signInBy = (key: string) => ({ key, name: '', password: '' });

test('who signs out while the devices are read leaves nothing: the next account sees its own devices, and no others', async () => {
  const network = twoAccounts();
  const store = await page.store();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  network.delayStates(() => released);
  expect(await store.signIn(signInBy('key of A'))).toBe(true);
  const reading = store.readFacts();
  await vi.waitFor(() => expect(network.asked).toContain('GET /v1.1/states'), soon);
  await store.signOut();
  expect(await store.signIn(signInBy('key of B'))).toBe(true);
  const readingOther = store.readFacts();
  release();
  await Promise.all([reading, readingOther]);
  expect(new Set(store.devices.value.keys())).toEqual(new Set(other.devices.map(({ id }) => id)));
  expect(store.progress.value).toBe('ready');
});

test('reads that wait when a sign-in ends send no request for the next one', async () => {
  const network = twoAccounts();
  const store = await page.store();
  await store.signIn(signInBy('key of A'));
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const reading = [store.readFacts(opened), store.readChanges()];
  await vi.waitFor(() => expect(store.devices.value.size).toBeGreaterThan(0), soon);
  await store.signOut();
  const before = network.asked.length;
  open();
  await Promise.all(reading);
  expect(network.asked.slice(before)).toEqual([]);
  expect(store.progress.value).toBe('loading');
});

test('nothing of an account is left when its sign-in ends', async () => {
  twoAccounts();
  const store = await page.store();
  await store.signIn(signInBy('key of A'));
  await store.readFacts();
  await store.readMissingAlerts();
  const facts = () => [
    store.devices.value.size,
    store.alerts.value.length,
    store.locations.value.length,
    store.accountId.value,
    store.alertOfDevice.value.size,
    store.progress.value,
  ];
  expect(facts()).not.toContain(0);
  await store.signOut();
  expect(facts()).toEqual([0, 0, 0, undefined, 0, 'loading']);
});

test('over a session that ended, who sees the same goes on, and all others begin with nothing', async () => {
  const network = twoAccounts();
  const store = await page.store();
  for (const [key, isKept] of [
    ['key of A', true],
    ['viewing key of A', true],
    ['limited key of A', false],
    ['key of B', false],
  ] as const) {
    await store.signIn(signInBy('key of A'));
    await store.readFacts();
    network.endSession();
    await expect(store.readLocations()).rejects.toThrow();
    expect(store.signedIn.value).toBe('ended');
    const before = store.signInNumber.value;
    await store.signIn(signInBy(key));
    expect([key, store.signInNumber.value === before, store.devices.value.size > 0]).toEqual([
      key,
      isKept,
      isKept,
    ]);
  }
});

test('who signs out in another tab is signed out here, and who signs in there is shown here', async () => {
  const network = twoAccounts();
  const store = await page.store();
  await store.signIn(signInBy('key of A'));
  await store.readFacts();
  const stop = store.watchOtherTabs();
  const tab = new BroadcastChannel('vantage-session');
  try {
    tab.postMessage('');
    await vi.waitFor(() => expect(store.signedIn.value).toBe('no'), soon);
    expect(store.devices.value.size).toBe(0);
    await store.signIn(signInBy('key of A'));
    await store.readFacts();
    // Another tab replaces the session, whose cookie all tabs have.
    await fetch('/v1.1/session', { method: 'POST', body: JSON.stringify({ Key: 'key of B' }) });
    tab.postMessage('token of key of B');
    await vi.waitFor(() => expect(store.session.value?.csrfToken).toBe('token of key of B'), soon);
    expect(store.devices.value.size).toBe(0);
    expect(network.asked.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  } finally {
    tab.close();
    stop();
  }
});

test('an answer that was asked for before the shown one changes nothing', async () => {
  const network = twoAccounts();
  const store = await page.store();
  await store.signIn(signInBy('key of A'));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isFirst = true;
  page.answerBy(async () => {
    if (!isFirst) return Response.json([{ location_id: 'new' }]);
    isFirst = false;
    await released;
    return Response.json([{ location_id: 'old' }]);
  });
  const early = store.readLocations();
  await store.readLocations();
  release();
  await early;
  expect(store.locations.value).toEqual([{ location_id: 'new' }]);
  expect(network.asked).toEqual(['POST /v1.1/session']);
});

/** Signals that hold no fact of an account, with what they hold. */
const ofNobody: Readonly<Record<string, string>> = {
  'store/present-sign-in.ts': 'how many sign-ins there were; accountSignal itself',
  'store/clock.ts': 'the time',
  'store/credential.ts': 'who is signed in: it says itself when that ends',
  'store/address.ts': 'the address of the window',
  'store/version.ts': 'the version of the page',
  'parts/theme.ts': 'the appearance',
  'store/device-settings.ts': 'how often settings were requested',
  'store/list-views.ts': 'how often a view was saved',
  'screens/devices/list-state.ts': 'the width of the window',
  'screens/devices/steady-rows.ts': 'an order of ids; it shows no device that is not in the store',
};

test('every signal of the page is made by accountSignal, or holds no fact of an account', () => {
  const source = path.join(import.meta.dirname, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .filter((file) => /(?<![\w.])signal[(<]/.test(readFileSync(path.join(source, file), 'utf8')));
  expect(files.toSorted()).toEqual(Object.keys(ofNobody).toSorted());
});
