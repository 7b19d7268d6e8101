import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTarget } from '../../src/catalog/devices/stored-target.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';
import { triedWell } from '../../src/testing/rest-fixture.ts';

let one: OneAccount;
let asked: { readonly isOffer: boolean; readonly target: unknown } | undefined;
/** The answer of the agent. */
let answer: { readonly code: number; readonly text: string; readonly extended: string | null };
beforeAll(async () => {
  one = await startOneAccount({
    runTrial: async (trial, signal) => {
      asked = { isOffer: trial.isOffer, target: openTarget(one.rest.sealer, trial.deviceId, trial.sealed) };
      const outcome = await triedWell(trial, signal);
      return outcome.kind === 'done' ? { kind: 'done', result: { ...outcome.result, ...answer } } : outcome;
    },
  });
});
afterAll(() => one[Symbol.asyncDispose]());

const port = {
  Index: 1,
  Name: 'Gi1/0/1',
  Alias: 'uplink',
  Status: 'Up',
  AdminStatus: 'Up',
  Speed: 1e9,
  InBits: 5,
  OutBits: null,
};
const cpu = { Name: 'hrProcessorLoad.1', Label: 'CPU 1', Unit: '%', Value: 14, Group: 'Processors' };
const system = { Name: 'sw', Description: 'A switch' };
const send = (body: object) =>
  one.send('POST', '/checks/offer', { Method: 'SNMP', URL: '192.0.2.2', Location: 'local', ...body });

test('an offer has the interfaces and values that the agent found, and the device is only asked', async () => {
  const Offer = { System: system, Interfaces: [port], Values: [cpu], IsComplete: true };
  const found = { ...Offer, Interfaces: [[Object.values(port)]], Values: [[Object.values(cpu)]] };
  answer = { code: 1, text: 'sw offers 1', extended: JSON.stringify({ Address: '192.0.2.2', Offer: found }) };
  expect((await send({ Options: { Community: 'c' } })).json).toEqual({
    Location: 'local',
    ResultCode: 1,
    CheckResult: 'sw offers 1',
    ...Offer,
  });
  expect(asked).toMatchObject({ isOffer: true, target: { url: '192.0.2.2', options: { Community: 'c' } } });
});

test('a device that does not answer offers nothing, and an agent that is too old says so', async () => {
  const nothing = { System: null, Interfaces: [], Values: [], IsComplete: false };
  answer = { code: 2, text: 'no answer from 192.0.2.2 within 5 s', extended: null };
  expect((await send({})).json).toMatchObject({ ResultCode: 2, CheckResult: answer.text, ...nothing });
  for (const extended of ['{"Address":"192.0.2.2"}', '{"Offer":{"Interfaces":7}}', null]) {
    answer = { code: 1, text: 'ok', extended };
    expect((await send({})).json).toMatchObject({
      ResultCode: 10,
      CheckResult: 'this agent cannot ask a device what it offers: upgrade it',
      ...nothing,
    });
  }
});

test('other Methods offer nothing', async () => {
  expect((await send({ Method: 'TCP', URL: 'a.example:1' })).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'Method', message: 'must be SNMP' }],
  });
});
