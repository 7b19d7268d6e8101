import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

let one: OneAccount;

beforeAll(async () => {
  one = await startOneAccount();
});
afterAll(() => one[Symbol.asyncDispose]());

const post = (raw: string) => one.send('POST', '/devices', undefined, { raw });
const fields = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',');
const target = '"Method":"HTTP","URL":"http://a/","ShortName":"a"';

test.each([
  ['of the resource', `{${fields(5_001)}}`],
  ['of the Options', `{${target},"Options":{${fields(5_001)}}}`],
  ['of a map in the Options', `{${target},"Options":{"Headers":{${fields(5_001)}}}}`],
  ['of a list', `{"Locations":[${Array.from({ length: 5_001 }, () => 1).join(',')}]}`],
  [
    'of many lists',
    `{"Locations":[${Array.from({ length: 50 }, () => `[${'1,'.repeat(100)}1]`).join(',')}]}`,
  ],
])('a body with more than 5,000 values is refused: %s', async (_, raw) => {
  const answer = await post(raw);
  expect(answer).toMatchObject({ status: 400, json: { code: 1000 } });
  expect(answer.text).toContain('more than 5000 values');
});

test('a body that is nothing but nesting is refused', async () => {
  expect((await post(`{"Options":${'['.repeat(1_000)}`)).text).toContain('nested deeper than 32 levels');
});

test.each([`{${fields(4_900)}}`, `{${target},"Options":{${fields(4_900)}}}`])(
  'an answer names a hundred faults and counts the others',
  async (raw) => {
    const answer = await post(raw);
    expect(answer).toMatchObject({ status: 400, json: { code: 1004 } });
    expect(answer.text).toMatch(/\d+ more faults/);
    expect(answer.text.length).toBeLessThan(20_000);
  },
);
