import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let key = '';
let accountNo = 0;
beforeAll(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('one'));
  ({ key } = await rest.key(accountNo, 'UA'));
});
afterAll(() => rest[Symbol.asyncDispose]());

let networks = 0;
/** Requests for a link come from another network each, so that they do not use up one another's minute. */
function ask(Email: string, address?: string) {
  networks += 1;
  return post('/forgotten', { Email }, address ?? `198.51.${networks}.7`);
}
async function post(path: string, form: Record<string, string>, address: string) {
  const answer = await fetch(`${new URL(rest.baseUrl).origin}${path}`, {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': address },
    body: new URLSearchParams(form),
  });
  const cookie = answer.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  return { status: answer.status, text: await answer.text(), cookie };
}

const mails = z.array(z.object({ address: z.string(), subject: z.string(), body: z.string() }));
const mailsTo = async (email: string) => {
  const { rows } = await sql`select address, subject, body from mails where address = ${email}`.execute(
    rest.db.kysely,
  );
  return mails.parse(rows).filter(({ subject }) => subject.startsWith('Another password'));
};
const invited = z.object({ Link: z.string(), user_id: z.string() });

async function invite(Email: string) {
  const body = { Name: 'Ada', Email, Level: 'UO' };
  const { Link, user_id } = invited.parse((await rest.send('POST', '/users', { key, body })).json);
  return { user_id, accept: (password: string) => accept(Link, password) };
}
const accept = (link: string, password: string) =>
  post(new URL(link).pathname, { Password: password, Again: password }, '192.0.2.1');
const statusOf = async (Cookie: string) =>
  (await rest.send('GET', '/session', { headers: { Cookie } })).status;

test('a person gets one link by mail, which sets another password once and ends the sessions', async () => {
  const { user_id, accept: comeIn } = await invite('ada@example.org');
  const { cookie } = await comeIn('the password of before');
  expect(await statusOf(cookie)).toBe(200);
  const known = await ask(' Ada@Example.org ', '192.0.2.7');
  const unknown = await ask('nobody@example.org');
  expect(known).toMatchObject({ status: 200, text: unknown.text });
  await expect.poll(() => mailsTo('ada@example.org')).toHaveLength(1);
  const [mail] = await mailsTo('ada@example.org');
  expect(mail?.body).toContain('was requested from 192.0.2.7');
  // The link is still open, so a stranger fills no mailbox.
  expect((await ask('ada@example.org')).text).toBe(known.text);
  const [link = ''] = /https:\S+/.exec(mail?.body ?? '') ?? [];
  const chosen = await accept(link, 'the password of after');
  expect(chosen.text).toContain('Your password is set, and you are signed in.');
  expect(await statusOf(cookie)).not.toBe(200);
  expect(await statusOf(chosen.cookie)).toBe(200);
  expect((await accept(link, 'a third long password')).status).toBe(404);
  expect(await mailsTo('ada@example.org')).toHaveLength(1);
  const audit = await rest.send('GET', `/audit?Kind=user&Id=${user_id}`, { key });
  expect(audit.text).toContain('PasswordLink');
});

test('an open invitation stays, and who never chose a password gets none', async () => {
  const { accept: comeIn } = await invite('eve@example.org');
  await ask('eve@example.org');
  // Requests are handled one after another: when the mail of the later one is there, the first one is done.
  const { accept: bobComesIn } = await invite('bob@example.org');
  await bobComesIn('the password of bob');
  await ask('bob@example.org');
  await expect.poll(() => mailsTo('bob@example.org')).toHaveLength(1);
  expect(await mailsTo('eve@example.org')).toEqual([]);
  expect((await comeIn('the password of eve')).text).toContain('you are signed in');
});

test('a network has five requests a minute, and what is no address is said', async () => {
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1) statuses.push((await ask('nobody@example.org', '203.0.113.9')).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 503]);
  const wrong = await ask('no address');
  expect(wrong.status).toBe(409);
  expect(wrong.text).toContain('An e-mail address');
});
