import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../../results/events/record-events.ts';
import { createRestHealth } from '../../../results/status/index.ts';
import { hashCheaply } from '../../../testing/hash-cheaply.ts';
import { createRestFixture, type RestFixture } from '../../../testing/rest-fixture.ts';

let rest: RestFixture;
let account: { readonly accountNo: number };
let key = '';

beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
  account = await rest.account('one', 'Europe/Berlin');
  ({ key } = await rest.key(account.accountNo, 'UW'));
  await sql`update locations set online = true, online_since_us = 1`.execute(rest.db.kysely);
});
afterAll(() => rest[Symbol.asyncDispose]());

const ids = z.record(z.string(), z.string());
async function idOf(path: string, body: object): Promise<string> {
  const { json, text } = await rest.send('POST', path, { key, body });
  const [id] = Object.values(ids.safeParse(json).data ?? {});
  if (id === undefined) throw new Error(text);
  return id;
}
const device = (ShortName: string, more: object = {}) =>
  idOf('/devices', { Method: 'HTTP', URL: 'https://secret-host.example/', ShortName, ...more });
const setStatus = (deviceId: string, status: string) =>
  sql`update device_state s set status = ${status}, since_us = ${rest.clock.nowUs()}::bigint - 600000000
    from devices d where d.device_no = s.device_no and d.device_id = ${deviceId}`.execute(rest.db.kysely);
const get = (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
  fetch(`${rest.baseUrl.replace('/v1.1', '')}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7', ...init.headers },
  });
const textOf = async (path: string, init?: Parameters<typeof get>[1]) => (await get(path, init)).text();
const page = (Path: string, more: object = {}) => idOf('/pages', { Name: Path, Path, ...more });
const statusesOf = (paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await get(`/status/${path}`)).status));
/** A PNG image of 2 × 1 pixels. */
const tinyLogo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNoaAAAAYMBARg1IhUAAAAASUVORK5CYII=';
/** Readers see a change after five seconds. */
const later = () => rest.clock.advance(5_001);
const h1 = (text: string) => />([^<]*)<\/h1>/.exec(text)?.[1];

test('a public page says how its devices are in one sentence, and shows nothing that was not allowed', async () => {
  await idOf('/tags', { Name: 'shop' });
  const Tags = ['shop'];
  const FullName = '<script>alert(1)</script> & "Shop"';
  const shop = await device('shop', { FullName, Tags });
  const mail = await device('mail', { Tags });
  await device('other', { FullName: 'Private name' });
  for (const id of [shop, mail]) await setStatus(id, 'Up');
  await page('public', {
    Tags,
    Notes: [{ At: '2026-09-01T10:00:00Z', Kind: 'Resolved', Text: 'Line one\n<b>two</b>' }],
  });
  const reply = await get('/status/public');
  const text = await reply.text();
  expect([reply.status, reply.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=5']);
  expect(reply.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(h1(text)).toBe('All services are operational');
  expect(text).toContain('&lt;script&gt;alert(1)');
  expect(text).toContain('Line one\n&lt;b&gt;two');
  expect(text).not.toMatch(/<script|Private name|secret-host|never checked/);
  await setStatus(shop, 'Down');
  expect(h1(await textOf('/status/public'))).toBe('All services are operational'); // of the last five seconds
  await later();
  expect(h1(await textOf('/status/public'))).toContain('is down');
  await setStatus(mail, 'Down');
  await later();
  expect(h1(await textOf('/status/public'))).toBe('2 of 2 services are down');
  for (const id of [shop, mail]) await setStatus(id, 'Unknown');
  await later();
  expect(h1(await textOf('/status/public'))).toBe('Nothing is observed at the moment');
});

test('a page has a logo, colours and a footer of its own; what cannot be read on it or holds scripts is refused', async () => {
  const Logo = tinyLogo;
  const png = Buffer.from(Logo.split(',')[1] ?? '', 'base64');
  const branding = {
    Logo,
    Accent: { Light: '#a3123f', Dark: '#ff8fab' },
    Footer: '<i>Shop</i> Ltd., see https://shop.example/contact?a=1&b="2.',
  };
  const id = await page('branded', branding);
  const stored = await rest.send('GET', `/pages/${id}`, { key });
  expect(stored.json).toMatchObject(branding);
  const reply = await get('/status/branded');
  const text = await reply.text();
  const policy = reply.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'; img-src 'self'; style-src 'sha256-");
  expect(text).toContain('--link:light-dark(#a3123f,#ff8fab)');
  expect(text).toContain(
    '&lt;i&gt;Shop&lt;/i&gt; Ltd., see <a href="https://shop.example/contact?a=1&amp;b=" rel="nofollow noopener">https://shop.example/contact?a=1&amp;b=</a>&quot;2.',
  );
  expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  const [, address = ''] = /<img src="([^"]+)" alt="" width="80" height="40">/.exec(text) ?? [];
  const image = await get(address);
  expect(Buffer.from(await image.arrayBuffer())).toEqual(png);
  expect(
    ['Content-Type', 'X-Content-Type-Options', 'Cache-Control'].map((name) => image.headers.get(name)),
  ).toEqual(['image/png', 'nosniff', 'public, max-age=86400, immutable']);
  expect(await statusesOf(['branded.jpg', 'branded.svg', 'public.png'])).toEqual([404, 404, 404]);
  const refused = async (body: object) => (await rest.send('PUT', `/pages/${id}`, { key, body })).json;
  expect(await refused({ Accent: { Light: '#ffd400', Dark: '#ffd400' } })).toMatchObject({
    code: 1004,
    errors: [{ field: 'Accent.Light', message: expect.stringMatching(/1\.3:1 .*#fbfbfa.*WCAG AA.*as #/) }],
  });
  expect(await refused({ Accent: { Light: '#102040', Dark: '#102040' } })).toMatchObject({
    errors: [{ field: 'Accent.Dark' }],
  });
  expect(await refused({ Accent: { Light: 'red}', Dark: '#ff8fab' } })).toMatchObject({
    errors: [{ field: 'Accent.Light', message: expect.stringContaining('#rrggbb') }],
  });
  expect(await refused({ Logo: `data:image/svg+xml;base64,${btoa('<svg/>')}` })).toMatchObject({
    errors: [{ field: 'Logo', message: expect.stringContaining('can hold scripts') }],
  });
  expect(await refused({ Logo: null, Accent: null, Footer: null })).toMatchObject({
    Logo: null,
    Accent: null,
    Footer: null,
  });
  await later();
  expect(await statusesOf(['branded.png'])).toEqual([404]);
  expect(await textOf('/status/branded')).not.toMatch(/<img|Ltd|a3123f/);
});

test('the logo of a page with a password is not shown without it', async () => {
  await page('hidden', { Access: 'Password', Password: 'open sesame', Logo: tinyLogo });
  const reply = await get('/status/hidden.png');
  expect([reply.headers.get('Content-Type'), reply.headers.get('Cache-Control')]).toEqual([
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(await reply.text()).toContain('type="password"');
});

test('JSON and Atom say the same', async () => {
  const Tags = [await idOf('/tags', { Name: 'feed' })];
  const down = await device('feed-1', { Tags });
  await setStatus(down, 'Down');
  const Notes = [
    { At: '2026-09-01T10:00:00Z', Kind: 'Investigating', Text: 'We look for the cause.' },
    { At: '2026-09-01T11:00:00Z', Kind: 'Resolved', Text: 'Done & dusted.' },
  ];
  await page('feed', { Tags, Notes, Show: { URL: true } });
  const json: unknown = JSON.parse(await textOf('/status/feed.json'));
  expect(json).toMatchObject({
    Name: 'feed',
    Status: 'Down',
    Sentence: 'feed-1 is down',
    Stale: false,
    Groups: [
      { Name: null, Services: [{ Name: 'feed-1', Status: 'Down', URL: 'https://secret-host.example/' }] },
    ],
    Notes: [{ Kind: 'Resolved', At: '2026-09-01T13:00:00+02:00' }, { Kind: 'Investigating' }],
  });
  const reply = await get('/status/feed.atom');
  expect(reply.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
  const atom = await reply.text();
  expect(atom).toContain('<title>Resolved</title><updated>2026-09-01T11:00:00.000Z</updated>');
  expect(atom).toContain('Done &amp; dusted.');
});

test('a page with a password shows nothing without it; guesses are limited; another password ends what was open', async () => {
  const pageId = await page('secret', { Access: 'Password', Password: 'open sesame' });
  const form = (Password: string) => ({ method: 'POST', body: new URLSearchParams({ Password }) });
  const closed = await textOf('/status/secret');
  expect(closed).toContain('type="password"');
  expect(closed).not.toContain('services');
  expect(await textOf('/status/secret.json')).toContain('type="password"');
  expect(await textOf('/status/secret', form('wrong'))).toContain('The password is wrong.');
  const entered = await get('/status/secret', form('open sesame'));
  expect([entered.status, entered.headers.get('Location')]).toEqual([302, '/status/secret']);
  const [cookie = ''] = (entered.headers.get('Set-Cookie') ?? '').split(';');
  expect(entered.headers.get('Set-Cookie')).toMatch(/Secure; HttpOnly; SameSite=Lax/);
  const open = await get('/status/secret', { headers: { Cookie: cookie } });
  expect([h1(await open.text()) === undefined, open.headers.get('Cache-Control')]).toEqual([
    false,
    'no-store',
  ]);
  const forged = cookie.replace(/=\d+/, (ends) => `=${Number(ends.slice(1)) + 1}`);
  expect(await textOf('/status/secret', { headers: { Cookie: forged } })).toContain('type="password"');
  expect(
    (await rest.send('PUT', `/pages/${pageId}`, { key, body: { Password: 'another one' } })).status,
  ).toBe(200);
  await rest.db.kysely
    .updateTable('pages')
    .set({ password_hash: hashCheaply('another one') })
    .where('page_id', '=', pageId)
    .execute();
  await later();
  expect(await textOf('/status/secret', { headers: { Cookie: cookie } })).toContain('type="password"');
  for (let i = 0; i < 25; i += 1) await get('/status/secret', form(`guess ${i}`));
  expect((await get('/status/secret', form('another one'))).status).toBe(503);
});

test('guesses at the password of a page count by the network of 64 bits', async () => {
  await page('counted', { Access: 'Password', Password: 'open sesame' });
  const guess = async (address: string, Password: string) => {
    const body = new URLSearchParams({ Password });
    return (await get('/status/counted', { method: 'POST', body, headers: { 'X-Forwarded-For': address } }))
      .status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < 21; i += 1) statuses.push(await guess(`2001:db8:5:6::${i.toString(16)}`, `guess ${i}`));
  expect(statuses).toEqual([...Array<number>(20).fill(200), 503]);
  expect(await guess('2001:db8:5:6:ffff::1', 'open sesame')).toBe(503);
  expect(await guess('2001:db8:5:7::1', 'open sesame')).toBe(302);
});

test('a page for people who are signed in does not exist for all others', async () => {
  await idOf('/tags', { Name: 'inner' });
  await idOf('/tags', { Name: 'outer' });
  await page('inner', { Access: 'SignedIn', Tags: ['inner'] });
  await page('whole', { Access: 'SignedIn' });
  const cookieOf = async (Key: string) => {
    const reply = await rest.send('POST', '/session', { body: { Key } });
    return reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  };
  const admin = (await rest.key(account.accountNo, 'UA')).key;
  const limited = async (tag: string) => {
    const { json } = await rest.send('POST', '/keys', {
      key: admin,
      body: { Name: newId(), Level: 'UR', Tags: [tag] },
    });
    return cookieOf(z.object({ Key: z.string() }).parse(json).Key);
  };
  const foreign = await cookieOf((await rest.key((await rest.account('other')).accountNo, 'UA')).key);
  const statuses = async (cookie: string) =>
    Promise.all(
      ['inner', 'whole'].map(
        async (path) => (await get(`/status/${path}`, { headers: { Cookie: cookie } })).status,
      ),
    );
  expect(await statuses('')).toEqual([404, 404]);
  expect(await statuses(foreign)).toEqual([404, 404]);
  expect(await statuses(await limited('outer'))).toEqual([404, 404]);
  expect(await statuses(await limited('inner'))).toEqual([200, 404]);
  expect(await statuses(await cookieOf(key))).toEqual([200, 200]);
  const unknown = await textOf('/status/nothing-here');
  expect(await textOf('/status/inner')).toBe(unknown);
});

test('a path belongs to one page of the whole installation', async () => {
  await page('taken');
  const other = await rest.account('third');
  const foreign = (await rest.key(other.accountNo, 'UW')).key;
  const body = { Name: 'x', Path: 'taken' };
  expect((await rest.send('POST', '/pages', { key: foreign, body })).json).toMatchObject({
    code: 1005,
    message: 'Path taken is the path of another status page. Choose another one.',
  });
  expect(
    (await rest.send('POST', '/pages', { key, body: { Name: 'y', Path: 'No Blanks' } })).json,
  ).toMatchObject({
    errors: [{ field: 'Path' }],
  });
  expect(
    (await rest.send('POST', '/pages', { key, body: { Name: 'y', Path: 'y', Access: 'Password' } })).json,
  ).toMatchObject({
    errors: [{ field: 'Password' }],
  });
});

test('many readers of a page are one reading, and a page whose data cannot be read is said to be old', async () => {
  await page('busy');
  await textOf('/status/busy');
  await later();
  const reading = vi.spyOn(rest.db.kysely, 'executeQuery');
  const all = await Promise.all(Array.from({ length: 40 }, () => textOf('/status/busy')));
  expect(new Set(all).size).toBe(1);
  const once = reading.mock.calls.length;
  await Promise.all(Array.from({ length: 40 }, () => textOf('/status/busy')));
  expect(reading.mock.calls.length).toBe(once);
  reading.mockRestore();
  await sql`alter table pages rename to pages_away`.execute(rest.db.kysely);
  await rest.clock.advance(31_000);
  expect(await textOf('/status/busy')).toContain('The monitoring does not answer');
  expect(JSON.parse(await textOf('/status/busy.json'))).toMatchObject({ Stale: true });
  await sql`alter table pages_away rename to pages`.execute(rest.db.kysely);
  await later();
  expect(await textOf('/status/busy')).not.toContain('The monitoring does not answer');
});
test('passwords of pages are hashed one after the other, and a crowd of them is refused', async () => {
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      rest.send('POST', '/pages', {
        key,
        body: { Name: `crowd ${i}`, Path: `crowd-${i}`, Access: 'Password', Password: `password ${i}` },
      }),
    ),
  );
  const refused = all.filter(({ status }) => status !== 200);
  expect(all.length - refused.length).toBeGreaterThan(0);
  for (const { json } of refused) expect(json).toMatchObject({ code: 1004, errors: [{ field: 'Password' }] });
});
