import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createDocumentReader, type DocumentReader } from '../../testing/document.ts';
import { createRestFixture, type RestFixture, triedWell } from '../../testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../testing/sample-account.ts';

let rest: RestFixture;
let sample: SampleAccount;
let key: string;
let document: DocumentReader;
let text: string;

beforeAll(async () => {
  rest = await createRestFixture({
    runTrial: triedWell,
    checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
  });
  const account = await rest.account('one');
  ({ key } = await rest.key(account.accountNo, 'UA'));
  sample = await createSampleAccount(rest, account, key);
  const reply = await rest.send('GET', '/openapi.json');
  document = createDocumentReader(reply.json);
  ({ text } = reply);
});
afterAll(() => rest[Symbol.asyncDispose]());

test('every example of the document is one of its schema', () => {
  expect(document.wrongExamples()).toEqual([]);
});

test('the example of a failure has the code and the reason of its status', () => {
  const failures = ['400', '429', '500', '503'].map((status) => document.exampleOf(status));
  expect(failures).toMatchObject([
    { code: 1004, reason: 'bad_value' },
    { code: 1006, reason: 'too_many_requests' },
    { code: 1500, reason: 'internal_error' },
    { code: 1503, reason: 'unavailable' },
  ]);
});

test('patterns have what the regular expressions of other languages have, and no schema is a boolean', () => {
  const patterns = [...text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern]) => pattern);
  expect(patterns.filter((pattern) => /\\[pPkuc]|\(\?[<=!]/.test(pattern ?? ''))).toEqual([]);
  expect(text).not.toMatch(/"(properties|patternProperties)":\{(?:[^{}]*,)?"\w+":(true|false)/);
});

const failure = z.object({
  code: z.int(),
  errors: z.array(z.object({ field: z.string(), reason: z.string() })).default([]),
});
/** Values that the service accepts near the present only, in place of an example, which grows older. */
const recent = (): Readonly<Record<string, string>> => ({
  'GET /maintenance Timestamp1': new Date(rest.clock.nowUs() / 1_000 - 86_400_000).toISOString(),
});
/** Parameters of every route, which say in which form the answer is. */
const formNames = ['fmt', 'filename'];
/** An example cannot have: a time ahead for ever, numbers of earlier answers, and what goes with `stream` only. */
const passing = ['ChangedSince', 'Timestamp2', 'Token', 'After', 'Hash'];

test('the service accepts every example of a request: at most what it names is not there', async () => {
  const faults: string[] = [];
  for (const route of rest.routes.filter(({ tag, method }) => tag !== 'Sessions' && method !== 'DELETE')) {
    const { requestBody, parameters } = document.operationOf(route);
    const body = requestBody?.content['application/json']?.['example'];
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sample.ids[name] ?? newId());
    const shown = parameters.filter((one) => one.in === 'query' && !formNames.includes(one.name));
    const needed = shown.filter(({ required }) => required === true);
    for (const sent of [needed, ...shown.map((one) => [...new Set([...needed, one])])]) {
      const query = sent
        .map(({ name, example }) => {
          const value = recent()[`${route.method} ${route.path} ${name}`] ?? String(example);
          return `${name}=${encodeURIComponent(value)}`;
        })
        .join('&');
      const asked = body === undefined ? { key } : { key, body };
      const reply = await rest.send(route.method, `${path}?${query}`, asked);
      const { code, errors } = failure.safeParse(reply.json).data ?? { code: 0, errors: [] };
      const wrong = errors.filter(
        ({ field, reason }) => !reason.startsWith('no_such_') && !passing.includes(field),
      );
      const isNamed = code === 1003 || code === 1005 || (errors.length > 0 && wrong.length === 0);
      if (reply.status !== 200 && !isNamed)
        faults.push(
          `${route.method} ${route.path}?${query}: ${JSON.stringify(wrong)} ${reply.text.slice(0, 200)}`,
        );
    }
  }
  expect(faults).toEqual([]);
});
