import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashCheaply } from '../../testing/hash-cheaply.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let beside: RestFixture;
let accountNo: number;
let admin: string;

beforeAll(async () => {
  rest = await createRestFixture();
  beside = await createRestFixture({ beside: rest });
  ({ accountNo } = await rest.account('mine'));
  ({ key: admin } = await rest.key(accountNo, 'UA'));
});
afterAll(async () => {
  await beside[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

const send = (method: string, path: string, body?: object, key = admin) =>
  rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });

interface Invited {
  readonly user_id: string;
  readonly Link: string;
}
const password = 'a long password';
let people = 0;
const invite = async (level = 'UR', key = admin) => {
  people += 1;
  const email = `person-${people}@example.org`;
  const reply = await send('POST', '/users', { Name: `Person ${people}`, Email: email, Level: level }, key);
  return { ...(reply.json as Invited), email };
};

/** Opens the link of an invitation, or sends its form. */
const open = (link: string, form?: Readonly<Record<string, string>>) =>
  fetch(`${new URL(rest.baseUrl).origin}${new URL(link).pathname}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      'X-Forwarded-Proto': 'https',
      ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
const accept = (link: string, chosen = password) => open(link, { Password: chosen, Again: chosen });

/** Signs in from an address of its own, so that the guesses of one test are not those of another. */
const attempt = (body: object, address = '192.0.2.9', api = rest) =>
  api.send('POST', '/session', { body, headers: { 'X-Forwarded-For': address } });
const signIn = async (body: object) => {
  const reply = await attempt(body);
  expect(reply.text).toContain('CsrfToken');
  expect(reply.json).toMatchObject({ HasPassword: 'Email' in body });
  const { CsrfToken } = reply.json as { readonly CsrfToken: string };
  const Cookie = reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  return {
    reply,
    get: (path: string, api = rest) => api.send('GET', path, { headers: { Cookie } }),
    write: (method: string, path: string, sent?: object) =>
      rest.send(method, path, {
        headers: { Cookie, 'X-CSRF-Token': CsrfToken },
        ...(sent === undefined ? {} : { body: sent }),
      }),
  };
};
const join = async (level = 'UR') => {
  const invited = await invite(level);
  expect((await accept(invited.Link)).status).toBe(200);
  return invited;
};
/** A person of whom many guesses are made. */
const joinCheaply = async () => {
  const invited = await join();
  await sql`update users set password_hash = ${hashCheaply(password)} where user_id = ${invited.user_id}`.execute(
    rest.db.kysely,
  );
  return invited;
};

describe('an invitation', () => {
  test('is a page on which the person chooses a password, once; then they sign in with it', async () => {
    const { user_id: id, Link: link, email } = await invite('UO');
    expect(link).toMatch(/^https:\/\/vantage\.test\/invitation\/[0-9a-f]{64}$/);
    expect((await attempt({ Email: email, Password: '' })).json).toMatchObject({ code: 1001 });
    const page = await open(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(email)]);
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect((await send('GET', `/users/${id}`)).json).toMatchObject({ SignIn: 'Invited', LastSeen: null });
    expect((await accept(link)).status).toBe(200);
    expect((await send('GET', `/users/${id}`)).json).toMatchObject({ SignIn: 'Password', LastSeen: null });
    expect([(await accept(link, 'another password')).status, (await open(link)).status]).toEqual([404, 404]);
    const mine = await signIn({ Email: email.toUpperCase(), Password: password });
    expect(mine.reply.json).toMatchObject({ Level: 'UO', Name: expect.stringMatching(/^Person/) });
    expect((await mine.write('PUT', '/alerts/acknowledge', { Filter: {} })).status).toBe(200);
    expect((await mine.write('POST', '/tags', { Name: 't' })).json).toMatchObject({ code: 1002 });
    expect((await send('GET', `/users/${id}`)).json).toMatchObject({
      LastSeen: expect.stringMatching(/^\d/),
    });
  });

  test('is accepted by one of many who send it at one moment', async () => {
    const { Link: link } = await invite();
    const all = await Promise.all(Array.from({ length: 6 }, (_, n) => accept(link, `${password} ${n}`)));
    const statuses = all.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
  });

  test('ends after 72 hours, with another one, and with the person', async () => {
    const late = await invite();
    await sql`update users set invitation_ends_us = invitation_ends_us - 259200000000 where user_id = ${late.user_id}`.execute(
      rest.db.kysely,
    );
    expect((await accept(late.Link)).status).toBe(404);
    const again = (await send('POST', `/users/${late.user_id}/invite`)).json as Invited;
    expect((await accept(late.Link)).status).toBe(404);
    expect((await accept(again.Link)).status).toBe(200);
    const gone = await invite();
    expect((await send('DELETE', `/users/${gone.user_id}`)).json).toEqual({ user_id: gone.user_id });
    expect((await accept(gone.Link)).status).toBe(404);
  });

  test.each([
    [{ Password: 'short', Again: 'short' }, '12 to 200 characters'],
    [{ Password: 'x'.repeat(201), Again: 'x'.repeat(201) }, '12 to 200 characters'],
    [{ Password: password, Again: 'another password' }, 'differ'],
    [{}, '12 to 200 characters'],
  ])('refuses %j and can be sent again', async (form: Record<string, string>, said) => {
    const { Link: link } = await invite();
    const reply = await open(link, form);
    expect([reply.status, await reply.text()]).toEqual([409, expect.stringContaining(said)]);
    expect((await accept(link)).status).toBe(200);
  });
});

describe('a person', () => {
  test('is changed at once, also in sessions and at other controllers, and deleted at once', async () => {
    const { user_id: id, email } = await join('UR');
    const mine = await signIn({ Email: email, Password: password });
    expect((await mine.get('/keys')).json).toMatchObject({ code: 1002 });
    expect((await mine.get('/devices', beside)).status).toBe(200);
    expect((await send('PUT', `/users/${id}`, { Level: 'UA' })).json).toMatchObject({ Level: 'UA' });
    expect((await mine.get('/keys')).status).toBe(200);
    await send('DELETE', `/users/${id}`);
    expect((await mine.get('/devices')).json).toMatchObject({ code: 1001 });
    await expect
      .poll(async () => (await mine.get('/devices', beside)).json, { timeout: 20_000 })
      .toMatchObject({ code: 1001 });
    expect((await attempt({ Email: email, Password: password })).json).toMatchObject({ code: 1001 });
    expect((await send('GET', `/users/${id}`)).json).toMatchObject({ code: 1003 });
  });

  test('is no key: no list of keys has one, and none is revoked as a key', async () => {
    const { user_id: id } = await join();
    const { rows } = await sql<{
      key_id: string;
    }>`select key_id from api_keys k join users u on u.key_no = k.key_no where user_id = ${id}`.execute(
      rest.db.kysely,
    );
    const keyId = rows[0]?.key_id ?? '';
    expect(keyId).toMatch(/^[0-9a-f]{48}$/);
    expect((await send('GET', '/keys')).text).not.toContain(keyId);
    expect((await send('GET', `/keys/${keyId}`)).json).toMatchObject({ code: 1003 });
    expect((await send('DELETE', `/keys/${keyId}`)).json).toMatchObject({ code: 1003 });
  });

  test('has an e-mail address that is unique in the account, whatever the letter case', async () => {
    const first = await invite();
    const second = await invite();
    const taken = { code: 1005, errors: [{ field: 'Email' }] };
    const body = { Name: 'x', Email: first.email.toUpperCase(), Level: 'UR' };
    expect((await send('POST', '/users', body)).json).toMatchObject(taken);
    expect((await send('PUT', `/users/${second.user_id}`, { Email: first.email })).json).toMatchObject(taken);
    for (const Email of ['nobody', 'a@b@c', 'a b@example.org', ''])
      expect((await send('POST', '/users', { ...body, Email })).json).toMatchObject({ code: 1004 });
  });

  const mailsTo = async (address: string) => {
    const mails = await rest.db.kysely
      .selectFrom('mails')
      .select('subject')
      .where('address', '=', address)
      .execute();
    return mails.map(({ subject }) => subject).filter((subject) => !subject.startsWith('Invitation to'));
  };

  test('gets the link of an invitation by e-mail, of a repeated one only the last link', async () => {
    const { user_id: id, email } = await invite();
    const again = (await send('POST', `/users/${id}/invite`, {})).json as Invited;
    expect(again).toMatchObject({ Mailed: true });
    const mails = await rest.db.kysely
      .selectFrom('mails')
      .select(['subject', 'body'])
      .where('address', '=', email)
      .execute();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.subject).toMatch(/^Invitation to /);
    expect(mails[0]?.body).toContain(again.Link);
  });

  test('who has signed in gets another address by an invitation that they accept, and is told at the present one', async () => {
    const { user_id: id, email } = await join('UA');
    const mine = await signIn({ Email: email, Password: password });
    const next = `new-${email}`;
    const byAdmin = await send('PUT', `/users/${id}`, { Email: next });
    expect(byAdmin.json).toMatchObject({ code: 1005, errors: [{ field: 'Email' }] });
    const { Link: link } = (await send('POST', `/users/${id}/invite`, { Email: next })).json as Invited;
    expect(await mailsTo(email)).toEqual(['You were invited again']);
    await send('POST', `/users/${id}/invite`, { Email: next });
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await open(link)).status).toBe(404);
    expect((await send('GET', `/users/${id}`)).json).toMatchObject({ Email: email });
    expect((await mine.get('/devices')).status).toBe(200);
    const again = (await send('POST', `/users/${id}/invite`, { Email: next })).json as Invited;
    expect(await (await open(again.Link)).text()).toContain(`You will sign in as ${next}`);
    await accept(again.Link, 'another password');
    expect((await mine.get('/devices')).json).toMatchObject({ code: 1001 });
    expect((await attempt({ Email: email, Password: password })).json).toMatchObject({ code: 1001 });
    expect((await attempt({ Email: next, Password: 'another password' })).json).toHaveProperty('CsrfToken');
    expect(await mailsTo(email)).toEqual(['You were invited again', 'Your sign-in was changed']);
    expect(await mailsTo(next)).toEqual([]);
    expect((await send('GET', `/audit?Id=${id}`)).text).toContain(`"New":"${next}"`);
  });

  test('who was only invited gets another address at once, without mails', async () => {
    const { user_id: id, email } = await invite();
    expect((await send('PUT', `/users/${id}`, { Email: `new-${email}` })).json).toMatchObject({
      Email: `new-${email}`,
    });
    await send('POST', `/users/${id}/invite`);
    expect([...(await mailsTo(email)), ...(await mailsTo(`new-${email}`))]).toEqual([]);
  });

  test('whom a key that expires invites would outlast it, so it cannot', async () => {
    const Expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await send('POST', '/keys', { Name: 'short', Level: 'UA', Expires });
    const { Key: key } = made.json as { readonly Key: string };
    const { user_id: id } = await invite();
    const refused = { code: 1004, message: expect.stringContaining('expires') };
    const body = { Name: 'x', Email: 'x@example.org', Level: 'UR' };
    expect((await send('POST', '/users', body, key)).json).toMatchObject(refused);
    expect((await send('POST', `/users/${id}/invite`, undefined, key)).json).toMatchObject(refused);
    expect((await send('PUT', `/users/${id}`, { Level: 'UW' }, key)).json).toMatchObject(refused);
    const another = { Email: 'thief@example.org' };
    expect((await send('PUT', `/users/${id}`, another, key)).json).toMatchObject(refused);
    expect((await send('POST', `/users/${id}/invite`, another, key)).json).toMatchObject(refused);
    expect((await send('PUT', `/users/${id}`, { Name: 'renamed' }, key)).status).toBe(200);
  });

  test('changes the password with the present one; other sessions end, and both are in the audit', async () => {
    const { user_id: id, email } = await join();
    const mine = await signIn({ Email: email, Password: password });
    const thief = await signIn({ Email: email, Password: password });
    const change = (body: object) => mine.write('PUT', '/session/password', body);
    const next = 'another long password';
    expect((await change({ Password: 'wrong', NewPassword: next })).json).toMatchObject({
      code: 1004,
      errors: [{ field: 'Password' }],
    });
    expect((await change({ Password: password, NewPassword: 'short' })).json).toMatchObject({ code: 1004 });
    expect((await thief.get('/devices')).status).toBe(200);
    expect((await change({ Password: password, NewPassword: next })).json).toEqual({});
    expect((await thief.get('/devices')).json).toMatchObject({ code: 1001 });
    expect((await mine.get('/devices')).status).toBe(200);
    expect((await attempt({ Email: email, Password: password })).json).toMatchObject({ code: 1001 });
    expect((await attempt({ Email: email, Password: next })).json).toHaveProperty('CsrfToken');
    const { json } = await send('GET', `/audit?Id=${id}`);
    const newest = { Action: 'Update', Actor: expect.stringMatching(/^Person/) };
    expect(json).toMatchObject([
      { ...newest, Changes: [{ Field: 'Password', Old: '***', New: '***' }] },
      { ...newest, Changes: [{ Field: 'Password', Old: null, New: '***' }] },
      { Action: 'Create' },
    ]);
    const asKey = await send('PUT', '/session/password', { Password: password, NewPassword: next });
    expect(asKey.json).toMatchObject({ code: 1003 });
    const ofKey = await signIn({ Key: admin });
    const refused = await ofKey.write('PUT', '/session/password', { Password: 'x', NewPassword: next });
    expect(refused.json).toMatchObject({ code: 1003 });
  });
});

describe('POST /session with e-mail and password', () => {
  test.each([
    {},
    { Email: 'a@example.org', Key: 'k' },
    { Email: 'a@example.org', Name: 'n' },
    { Key: 'k', Account: 'mine' },
    { Account: 'mine' },
  ])('refuses %j', async (body) => {
    expect((await attempt(body)).json).toMatchObject({ code: 1004 });
  });

  test('answers and limits unknown people and wrong passwords in the same way', async () => {
    const { email } = await joinCheaply();
    const codes = async (sent: string, address: string) => {
      const replies = [];
      for (let count = 0; count < 21; count += 1)
        replies.push(await attempt({ Email: sent, Password: `wrong ${count}` }, address));
      return replies.map(({ json }) => json);
    };
    const known = await codes(email, '198.51.100.1');
    expect(await codes('nobody@example.org', '198.51.100.2')).toEqual(known);
    expect(known.at(0)).toMatchObject({ code: 1001, message: 'Wrong e-mail address or password.' });
    expect(known.at(-1)).toMatchObject({ code: 1006 });
    expect((await attempt({ Email: email, Password: password }, '198.51.100.3')).status).toBe(200);
  });

  test('takes 60 guesses a minute at one person from everywhere', async () => {
    const { email } = await joinCheaply();
    let refusals = 0;
    for (let at = 0; at < 66; at += 1) {
      const reply = await attempt({ Email: email, Password: `wrong ${at}` }, `203.0.113.${at % 6}`);
      if ((reply.json as { code: number }).code === 1006) refusals += 1;
    }
    expect(refusals).toBe(6);
    expect((await attempt({ Email: email, Password: password })).json).toMatchObject({ code: 1006 });
    await rest.clock.advance(60_000);
    expect((await attempt({ Email: email, Password: password })).status).toBe(200);
  });

  test('is in the audit when it is refused', async () => {
    const { user_id: id, email } = await join();
    await attempt({ Email: email, Password: 'wrong' }, '192.0.2.77');
    await expect
      .poll(async () => (await send('GET', `/audit?Id=${id}&Limit=1`)).json)
      .toMatchObject([{ Action: 'Refuse', Kind: 'session', Actor: 'stranger', Address: '192.0.2.77' }]);
  });
});

test('no password and no token is stored, in no table', async () => {
  const { Link: link, email } = await invite();
  const secret = 'sentinel of a password';
  await accept(link, secret);
  const mine = await signIn({ Email: email, Password: secret });
  await mine.write('PUT', '/session/password', { Password: secret, NewPassword: `${secret} two` });
  const { rows } = await sql<{
    text: string;
  }>`select string_agg(query_to_xml('select * from ' || t, true, false, '')::text, '')
    as text from unnest(array['users', 'api_keys', 'audit', 'sessions', 'kept_answers', 'key_uses']) as t`.execute(
    rest.db.kysely,
  );
  const text = rows[0]?.text ?? '';
  expect(text).toContain(email);
  for (const hidden of ['sentinel', link.split('/').at(-1) ?? '']) expect(text).not.toContain(hidden);
  expect(text).toMatch(/scrypt\$16384\$8\$1\$/);
});
