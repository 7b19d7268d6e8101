import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import type { AccountApi } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { addScopedAccount } from '../../testing/scoped-account.ts';
import { markRecord } from './mark-fields.ts';
import { deleteOldMarks } from './mark-store.ts';

const made = z.object({ mark_id: z.string() });
const marks = z.array(markRecord);

let rest: RestFixture;
let account: Awaited<ReturnType<typeof addScopedAccount>>;
beforeAll(async () => {
  rest = await createRestFixture();
  account = await addScopedAccount(rest, 'one');
});
afterAll(() => rest[Symbol.asyncDispose]());

const make = async (body: object, key?: string) =>
  account.send('POST', '/marks', body, key === undefined ? undefined : { key });
const atAgo = (us: number) => new Date((rest.clock.nowUs() - us) / 1000).toISOString();

/** The texts of a device's marks that are not changes. */
async function textsAt(device: string, key?: string): Promise<readonly string[]> {
  const reply = await account.send(
    'GET',
    `/devices/${device}/marks`,
    undefined,
    key === undefined ? undefined : { key },
  );
  return marks.parse(reply.json).flatMap(({ mark_id, Text }) => (mark_id === null ? [] : [Text]));
}

test('one axis joins marks of the device and its tags, changes of its settings, and maintenance', async () => {
  const { id, no } = account.own;
  await account.send('PUT', `/devices/${id}`, { Timeout: 7 });
  const link = 'https://ci.example.org/1';
  await make({ Kind: 'Deployment', Text: 'shop 4.18', Tags: ['mine'], At: atAgo(10 * minuteUs), Link: link });
  await make({ Kind: 'Note', Text: 'ticket', Devices: [id], At: atAgo(5 * minuteUs) });
  await make({ Kind: 'Note', Text: 'too old', Devices: [id], At: atAgo(2 * dayUs) });
  await make({ Kind: 'Note', Text: 'elsewhere', Tags: ['theirs'] });
  await rest.db.kysely
    .updateTable('maintenance_windows')
    .set({ from_us: rest.clock.nowUs() - hourUs, to_us: rest.clock.nowUs(), reason: 'patches' })
    .where('device_no', '=', no)
    .execute();
  await recordEvents(
    rest.db.kysely,
    [
      {
        kind: 'device-restarted',
        accountNo: account.accountNo,
        deviceNo: no,
        status: 'Up',
        locationNo: 0,
        atUs: rest.clock.nowUs() - 7 * minuteUs,
        check: { startUs: 1, agentNo: 1 },
        startedUs: 1e15,
      },
    ],
    rest.clock.nowUs(),
  );
  const read = await account.send('GET', `/devices/${id}/marks`);
  expect(marks.parse(read.json).map(({ Kind, Text, Link }) => [Kind, Text, Link])).toEqual([
    ['Change', 'Timeout: 30 → 7', null],
    ['Change', 'created', null],
    ['Note', 'ticket', null],
    ['Restart', 'Restarted: running since 2001-09-09T01:46:40Z', null],
    ['Deployment', 'shop 4.18', link],
    ['Maintenance', 'patches', null],
  ]);
  const [change] = marks.parse(read.json);
  expect(change?.Changes).toEqual([{ Field: 'Timeout', Old: 30, New: 7 }]);
  const page = await account.send('GET', `/devices/${id}/marks?Limit=2&Offset=1`);
  expect(marks.parse(page.json).map(({ Text }) => Text)).toEqual(['created', 'ticket']);
  expect(page.headers.get('link')).toContain('Offset=3');
});

test('a mark of this moment is shown at once, also in a period whose end is still to come', async () => {
  const { id } = account.own;
  await make({ Kind: 'Note', Text: 'just now', Devices: [id] });
  for (const period of ['', `?Timestamp1=${atAgo(hourUs)}&Timestamp2=${atAgo(-hourUs)}`]) {
    const { json } = await account.send('GET', `/devices/${id}/marks${period}`);
    expect([period, marks.parse(json).some(({ Text }) => Text === 'just now')]).toEqual([period, true]);
  }
  const before = await account.send('GET', `/devices/${id}/marks?Timestamp2=${atAgo(minuteUs)}`);
  expect(marks.parse(before.json).map(({ Text }) => Text)).not.toContain('just now');
});

test('making and deleting a mark is recorded', async () => {
  rest.recorded.length = 0;
  const { mark_id } = made.parse(
    (await make({ Kind: 'Change', Text: 'new cable', Devices: [account.own.id] })).json,
  );
  await account.send('DELETE', `/marks/${mark_id}`);
  expect(rest.recorded.flatMap(({ changes }) => changes)).toMatchObject([
    {
      action: 'create',
      kind: 'mark',
      id: mark_id,
      fields: [
        { field: 'Text', new: 'new cable' },
        { field: 'Kind', new: 'Change' },
        { field: 'At' },
        { field: 'Devices', new: [account.own.id] },
      ],
    },
    {
      action: 'delete',
      kind: 'mark',
      id: mark_id,
      fields: [{ field: 'Text', old: 'new cable', new: null }, {}, {}],
    },
  ]);
  expect((await account.send('DELETE', `/marks/${mark_id}`)).json).toMatchObject({ code: 1003 });
  expect(await textsAt(account.own.id)).not.toContain('new cable');
});

test.each<readonly [string, () => object, string]>([
  ['nothing is named', () => ({ Kind: 'Note', Text: 'a' }), 'Devices'],
  ['a tag is unknown', () => ({ Kind: 'Note', Text: 'a', Tags: ['no'] }), 'Tags'],
  ['a device is unknown', () => ({ Kind: 'Note', Text: 'a', Devices: [newId()] }), 'Devices'],
  ['it is in the future', () => ({ Kind: 'Note', Text: 'a', Tags: ['mine'], At: atAgo(-hourUs) }), 'At'],
  ['it is too old', () => ({ Kind: 'Note', Text: 'a', Tags: ['mine'], At: atAgo(401 * dayUs) }), 'At'],
  [
    'the link runs a script',
    () => ({ Kind: 'Note', Text: 'a', Tags: ['mine'], Link: 'javascript:1' }),
    'Link',
  ],
])('a mark is refused where %s', async (_, body, field) => {
  const refused = await make(body());
  expect(refused.json).toMatchObject({ code: 1004, errors: [{ field }] });
});

test('a caller who is limited to tags marks these only, and sees what is about the own devices', async () => {
  const operator = await account.keyOf('UO');
  const { own, foreign } = account;
  expect((await make({ Kind: 'Note', Text: 'a', Devices: [foreign.id] }, operator)).json).toMatchObject({
    code: 1004,
  });
  expect((await make({ Kind: 'Note', Text: 'a', Tags: ['theirs'] }, operator)).json).toMatchObject({
    code: 1004,
  });
  expect((await make({ Kind: 'Note', Text: 'mine', Tags: ['mine'] }, operator)).status).toBe(200);
  const both = made.parse((await make({ Kind: 'Note', Text: 'both', Devices: [own.id, foreign.id] })).json);
  const other = made.parse((await make({ Kind: 'Note', Text: 'other', Devices: [foreign.id] })).json);
  const seen = await textsAt(own.id, operator);
  expect(seen).toEqual(await textsAt(own.id));
  expect(seen).toEqual(expect.arrayContaining(['mine', 'both']));
  const remove = (key: string, { mark_id }: z.output<typeof made>) =>
    account.send('DELETE', `/marks/${mark_id}`, undefined, { key });
  for (const mark of [both, other]) expect((await remove(operator, mark)).json).toMatchObject({ code: 1003 });
  const reader: Parameters<AccountApi['send']>[3] = { key: await account.keyOf('UR') };
  expect(
    (await account.send('POST', '/marks', { Kind: 'Note', Text: 'a', Tags: ['mine'] }, reader)).json,
  ).toMatchObject({ code: 1002 });
  await account.send('PUT', `/tags/${account.tags.theirs}/devices/${own.id}`);
  await make({ Kind: 'Note', Text: 'by another tag', Tags: ['theirs'] });
  expect(await textsAt(own.id, operator)).toContain('by another tag');
});

test('marks of more than 400 days are deleted', async () => {
  const { own } = account;
  await make({ Kind: 'Note', Text: 'kept', Devices: [own.id] });
  const old = made.parse((await make({ Kind: 'Note', Text: 'old', Devices: [own.id] })).json);
  await rest.db.kysely
    .updateTable('marks')
    .set({ at_us: rest.clock.nowUs() - 401 * dayUs })
    .where('mark_id', '=', old.mark_id)
    .execute();
  await deleteOldMarks(rest.db.kysely, rest.clock.nowUs());
  const { rows } = await sql<{ text: string }>`select text from marks where text in ('kept', 'old')`.execute(
    rest.db.kysely,
  );
  expect(rows).toEqual([{ text: 'kept' }]);
});
