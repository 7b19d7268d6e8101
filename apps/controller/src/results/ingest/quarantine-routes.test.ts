import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

const api = useAccountPerTest();
const { send } = api;
const early = 1_790_000_000_000_000;

const agentOf = async (place: Pick<typeof api, 'accountNo' | 'locationNo'>, name: string) => {
  const agent_id = newId();
  const { agentNo } = await createFixtures(api.rest.db.kysely).agent(place, { agent_id, name });
  return { agentId: agent_id, agentNo };
};
const refuse = (agentNo: number, reason: string, count: number) =>
  sql`
  insert into quarantined (agent_no, received_us, reason, record)
  select ${agentNo}, ${early}::bigint + n * 1000000, ${reason}, '{}'::jsonb from generate_series(1, ${count}) n`.execute(
    api.rest.db.kysely,
  );
const groups = async () => (await send('GET', '/quarantine')).json;
const retry = (agentId: string, body: object = { Reason: 'from the future' }) =>
  send('PUT', `/agents/${agentId}/retry-quarantine`, body);

test('results that were not accepted are listed by agent and reason, and validated again by reason', async () => {
  const { agentId, agentNo } = await agentOf(api, 'oslo-1');
  await refuse(agentNo, 'from the future', 3);
  await refuse(agentNo, 'too old', 5);
  expect(await groups()).toMatchObject([
    { agent_id: agentId, Agent: 'oslo-1', Location: 'local', Reason: 'too old', Records: 5, Waiting: 0 },
    { agent_id: agentId, Reason: 'from the future', Records: 3, Waiting: 0 },
  ]);
  expect((await retry(agentId, { Reason: 'from the future' })).json).toEqual({ Records: 3 });
  expect(await groups()).toMatchObject([
    { Reason: 'too old', Waiting: 0 },
    { Reason: 'from the future', Records: 3, Waiting: 3 },
  ]);
  expect((await send('GET', '/audit?Kind=agent')).json).toMatchObject([
    { Action: 'Update', Id: agentId, Changes: [{ Field: 'RetriedResults', Old: null, New: 3 }] },
  ]);
  expect((await retry(agentId, { Reason: 'another' })).json).toEqual({ Records: 0 });
});

test('a request validates at most 1,000 results, and the newest 1,000 of an agent are counted', async () => {
  const { agentId, agentNo } = await agentOf(api, 'busy');
  await refuse(agentNo, 'from the future', 1_001);
  expect(await groups()).toMatchObject([{ Records: 1_000 }]);
  expect((await retry(agentId)).json).toEqual({ Records: 1_000 });
});

test("another account's results are neither listed nor validated", async () => {
  const other = await api.rest.account(`other of ${api.accountNo}`);
  const { agentId, agentNo } = await agentOf(other, 'theirs');
  await refuse(agentNo, 'from the future', 1);
  expect(await groups()).toEqual([]);
  expect((await retry(agentId)).json).toMatchObject({ code: 1003 });
  expect((await retry('nothing')).json).toMatchObject({ code: 1003 });
});

test('results of a removed agent can be validated, and a wrong field is named', async () => {
  const { agentId, agentNo } = await agentOf(api, 'gone');
  await refuse(agentNo, 'from the future', 1);
  await send('DELETE', `/agents/${agentId}`);
  await send('DELETE', `/agents/${agentId}`);
  expect((await retry(agentId, { Reason: '' })).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'Reason' }],
  });
  expect((await retry(agentId)).json).toEqual({ Records: 1 });
});

test('a key below UA sees no quarantine', async () => {
  const { key } = await api.rest.key(api.accountNo, 'UW');
  expect((await api.rest.send('GET', '/quarantine', { key })).json).toMatchObject({ code: 1002 });
});
