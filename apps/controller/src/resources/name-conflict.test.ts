import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OneAccount, startOneAccount } from '../testing/one-account.ts';
import { sampleMschedule } from '../testing/sample-account.ts';

let one: OneAccount;
beforeAll(async () => {
  one = await startOneAccount();
});
afterAll(() => one[Symbol.asyncDispose]());

const code = (reply: { readonly status: number; readonly json: unknown }) =>
  reply.status === 200 ? 200 : (reply.json as { readonly code: number }).code;

const kinds: readonly (readonly [string, (name: string) => object])[] = [
  ['/tags', (Name) => ({ Name })],
  ['/contacts', (Name) => ({ Name, Type: 'email', Address: 'a@example.org' })],
  ['/nschedules', (Name) => ({ Name, Steps: [] })],
  ['/mschedules', (Name) => ({ ...sampleMschedule, Name })],
  ['/locations', (Name) => ({ Name })],
];

describe.each(kinds)('a name of %s', (path, body) => {
  test('is taken where another reads the same', async () => {
    const name = `Zürich ${newId().slice(0, 6)}`;
    const made = await one.send('POST', path, body(name));
    expect([made.text, made.status]).toEqual([expect.anything(), 200]);
    for (const same of [
      name,
      name.toUpperCase(),
      name.normalize('NFD'),
      ` ${name} `,
      name.replace('r', 'r\u00AD'),
    ])
      expect([same, code(await one.send('POST', path, body(same)))]).toEqual([same, 1005]);
    const other = await one.send('POST', path, body(`${name} 2`));
    const [id] = Object.values(other.json as Record<string, string>);
    expect(code(await one.send('PUT', `${path}/${id}`, { Name: name.toLowerCase() }))).toBe(1005);
    const [own] = Object.values(made.json as Record<string, string>);
    expect(code(await one.send('PUT', `${path}/${own}`, { Name: name.toUpperCase() }))).toBe(200);
  });

  test('is given to one of two requests at the same moment', async () => {
    const name = newId();
    const replies = await Promise.all(
      [name, name.toUpperCase()].map((each) => one.send('POST', path, body(each))),
    );
    expect(replies.map(code).toSorted((a, b) => a - b)).toEqual([200, 1005]);
  });

  test.each(['', '   ', '\u200B', '\u2003\u2003', '\u00AD'])('has a visible character: %j', async (name) => {
    expect(code(await one.send('POST', path, body(name)))).toBe(1004);
  });
});

test('a text for people is stored trimmed and in one form', async () => {
  const name = newId().slice(0, 8);
  const { json } = await one.send('POST', '/tags', { Name: `  Mu\u0308nchen ${name} ` });
  const [id] = Object.values(json as Record<string, string>);
  expect((await one.send('GET', `/tags/${id}`)).json).toMatchObject({ Name: `M\u00FCnchen ${name}` });
});

test('the name of a secret is taken whatever its letter case', async () => {
  expect((await one.send('POST', '/secrets', { Name: 'Token', Value: 'v' })).status).toBe(200);
  expect(code(await one.send('POST', '/secrets', { Name: 'TOKEN', Value: 'v' }))).toBe(1005);
});

test('an enrolled agent keeps its name for itself; invitations and revoked agents do not', async () => {
  const rows = createFixtures(one.rest.db.kysely);
  const locationNo = await rows.location(one.accountNo, { name: 'yard' });
  const place = { accountNo: one.accountNo, locationNo };
  const { agentNo } = await rows.agent(place, { name: 'Host 1', state: 'Away' });
  await rows.agent(place, { name: 'open', state: 'New' });
  await rows.agent(place, { name: 'gone', state: 'Revoked' });
  const rename = async (Name: string) => {
    const { agent_id } = await one.rest.db.kysely
      .selectFrom('agents')
      .select('agent_id')
      .where('name', '=', 'open')
      .executeTakeFirstOrThrow();
    return code(await one.send('PUT', `/agents/${agent_id}`, { Name }));
  };
  expect(await rename('HOST 1')).toBe(1005);
  expect(code(await one.send('POST', '/agents/invitations', { Location: 'yard', Name: 'host 1' }))).toBe(
    1005,
  );
  expect(code(await one.send('POST', '/agents/invitations', { Location: 'yard', Name: 'open' }))).toBe(200);
  expect(agentNo).toBeGreaterThan(0);
  expect(await rename('gone')).toBe(200);
});
