import { publish } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { nothing, sealer, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();
const reference = (name: string) => ['$', '{secret:', name, '}'].join('');
const foreign = createSealer(new Uint8Array(32).fill(7));

async function addSecret(name: string, value: string, by = sealer): Promise<string> {
  const secretId = `${name} of ${bench.place.accountNo}`;
  await bench.db.kysely
    .insertInto('secrets')
    .values({
      account_no: bench.place.accountNo,
      name,
      secret_id: secretId,
      sealed: by.seal(value, `secret:${secretId}`),
    })
    .execute();
  return secretId;
}

test('the spec of a device that cannot be opened has the problem, and the others are checked', async () => {
  const broken = await bench.addDevice({ url: '127.0.0.1:7' });
  const fine = await bench.addDevice({ url: '127.0.0.1:8' });
  const sealed = foreign.seal({ url: '127.0.0.1:7', options: {} }, 'device:x');
  await bench.db.kysely.updateTable('devices').set({ sealed }).where('device_no', '=', broken).execute();
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url);
  const { upserts } = await stream.until('assignments');
  expect(upserts).toMatchObject([
    {
      deviceNo: broken,
      spec: { url: '', problem: expect.stringContaining('send its URL and Options again') },
    },
    { deviceNo: fine, spec: { url: '127.0.0.1:8', problem: '' } },
  ]);
});

test('a reference without a value is never sent as it stands; a new value goes out at once', async () => {
  const name = `pw-${bench.place.accountNo}`;
  const secretId = await addSecret(name, 'old', foreign);
  await addSecret(`other-${bench.place.accountNo}`, 'fine');
  const url = `smtp://u:${reference(name)}@127.0.0.1`;
  const needy = await bench.addDevice({ url, method: 'SMTP' });
  const script = await bench.addDevice({ url: `log(secret("${name}"))`, method: 'Script' });
  const free = await bench.addDevice({
    url: `smtp://u:${reference(`other-${bench.place.accountNo}`)}@127.0.0.1`,
    method: 'SMTP',
  });
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url);
  const { upserts } = await stream.until('assignments');
  const problem = expect.stringContaining(`the secret ${name} has no value`);
  expect(upserts).toMatchObject([
    { deviceNo: needy, spec: { problem } },
    { deviceNo: script, spec: { problem } },
    { deviceNo: free, spec: { url: 'smtp://u:fine@127.0.0.1' } },
  ]);

  const change = async (value: string) => {
    const sealed = sealer.seal(value, `secret:${secretId}`);
    await sql`update secrets set sealed = ${sealed}, updated_at = clock_timestamp() where secret_id = ${secretId}`.execute(
      bench.db.kysely,
    );
    await publish(bench.db.kysely, 'plan', { agent_nos: [bench.agent.agentNo] });
    return (await stream.until('assignments')).upserts;
  };
  expect(await change('new')).toMatchObject([
    { deviceNo: needy, spec: { url: 'smtp://u:new@127.0.0.1', problem: '' } },
    { deviceNo: script, spec: { secrets: { [name]: 'new' }, problem: '' } },
    { deviceNo: free },
  ]);
  expect(await change('newer')).toMatchObject([
    { spec: { url: 'smtp://u:newer@127.0.0.1' } },
    { spec: { secrets: { [name]: 'newer' } } },
    { deviceNo: free },
  ]);
});
