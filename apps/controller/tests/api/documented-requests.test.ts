import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDocumentReader, type DocumentReader } from '../../src/testing/document.ts';
import { requestsOf } from '../../src/testing/requests.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const runs = propertyRuns(800);

let rest: RestFixture;
let sample: SampleAccount;
let key: string;
let document: DocumentReader;

beforeAll(async () => {
  rest = await createRestFixture({
    checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
  });
  const account = await rest.account('one');
  ({ key } = await rest.key(account.accountNo, 'UA'));
  sample = await createSampleAccount(rest, account, key);
  document = createDocumentReader((await rest.send('GET', '/openapi.json')).json);
});
afterAll(() => rest[Symbol.asyncDispose]());

it(
  'answers every request that the document describes with 200 or 400, as the document says',
  async () => {
    const counts: Record<number, number> = {};
    const routes = new Map(
      rest.routes
        // A session's routes need its cookie, and wrong keys are limited; session-routes.test.ts has them.
        .filter(({ method, tag }) => method !== 'DELETE' && tag !== 'Sessions')
        .map((route) => [`${route.method} ${route.path}`, route]),
    );
    const requests = [...routes].map(([name, route]) => {
      const { parameters, requestBody } = document.operationOf(route);
      const body = requestBody?.content['application/json']?.schema;
      const known = { ids: sample.ids, schemas: document.schemas };
      return requestsOf(route.path, { parameters, body }, known).map((made) => ({ name, made }));
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(...requests), async ({ name, made }) => {
        const route = routes.get(name);
        if (route === undefined) throw new Error(name);
        const query = new URLSearchParams(
          Object.entries(made.query).map(([name, value]): [string, string] => [name, String(value)]),
        );
        const reply = await rest.send(route.method, `${made.path}?${query.toString()}`, {
          key,
          ...(made.body === undefined ? {} : { body: made.body }),
        });
        counts[reply.status] = (counts[reply.status] ?? 0) + 1;
        expect([200, 400]).toContain(reply.status);
        // A text in the path may lead to another route, or to none.
        if (reply.status === 200 || !made.path.includes('%'))
          expect(document.disagreement(route, reply)).toBe('');
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(counts[200]).toBeGreaterThan(runs / 10);
    expect(counts[400]).toBeGreaterThan(runs / 100);
  },
  60_000 + runs * 30,
);
