import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createCatalog } from '../../resources/change.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { notifyEverybody } from './everybody.ts';

let rest: RestFixture;
let accounts = 0;
beforeAll(async () => {
  rest = await createRestFixture();
});
afterAll(() => rest[Symbol.asyncDispose]());

/** An account with a key and a function that adds a contact as the operator does. */
async function account() {
  accounts += 1;
  const { accountNo } = await rest.account(`account ${accounts}`);
  const { key } = await rest.key(accountNo, 'UW');
  const catalog = createCatalog({ recordChanges: async () => {} });
  const create = async (path: string, body: object) => {
    const { json } = await rest.send('POST', path, { key, body });
    return Object.values(z.record(z.string(), z.string()).parse(json))[0] ?? '';
  };
  const contact = () => create('/contacts', { Name: newId(), Type: 'email', Address: 'a@example.org' });
  return {
    key,
    create,
    add: async () => {
      const contactId = await contact();
      const given = { accountNo, contactId, nowUs: rest.clock.nowUs() };
      const { kind } = await catalog.change(rest.db, { kind: 'command-line' }, (transaction) =>
        notifyEverybody(transaction, given),
      );
      return { kind, contactId };
    },
  };
}

test('an account without a schedule gets Everybody, and further contacts are added to its first step', async () => {
  const { key, add } = await account();
  const [first, second] = [await add(), await add()];
  expect([first.kind, second.kind]).toEqual(['made', 'added']);
  const schedules = (await rest.send('GET', '/nschedules', { key })).json;
  expect(schedules).toMatchObject([
    { Name: 'Everybody', Steps: [{ DelayMinutes: 0, Contacts: [first.contactId, second.contactId] }] },
  ]);
  const [{ nschedule_id } = { nschedule_id: '' }] = z
    .array(z.looseObject({ nschedule_id: z.string() }))
    .parse(schedules);
  expect((await rest.send('GET', '/account', { key })).json).toMatchObject({ nschedule_id });
});

test('an Everybody without steps gets one again', async () => {
  const { key, add } = await account();
  await add();
  const { json } = await rest.send('GET', '/account', { key });
  const { nschedule_id } = z.looseObject({ nschedule_id: z.string() }).parse(json);
  await rest.send('PUT', `/nschedules/${nschedule_id}`, { key, body: { Steps: [] } });
  const { kind, contactId } = await add();
  expect(kind).toBe('added');
  expect((await rest.send('GET', `/nschedules/${nschedule_id}`, { key })).json).toMatchObject({
    Steps: [{ DelayMinutes: 0, Contacts: [contactId] }],
  });
});

test('a schedule that the account chose itself stays as it is', async () => {
  const { key, create, add } = await account();
  const nschedule_id = await create('/nschedules', { Name: 'Mine', Steps: [] });
  await rest.send('PUT', '/account', { key, body: { nschedule_id } });
  expect((await add()).kind).toBe('own-schedule');
  expect((await rest.send('GET', '/nschedules', { key })).json).toMatchObject([{ Name: 'Mine', Steps: [] }]);
});
