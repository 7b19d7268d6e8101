import { malformedText, malformedValue, propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const words = [
  'Method',
  'URL',
  'ShortName',
  'FullName',
  'Frequency',
  'Timeout',
  'Retries',
  'RetryDelay',
  'Locations',
  'Options',
  'HostData',
  'device_master_id',
  'nschedule_id',
  'Name',
  'Duration',
  'Timezone',
  'DefaultLocations',
  'Headers',
  '__proto__',
  'constructor',
];
const queries = [
  'Limit',
  'Offset',
  'Filter',
  'Timestamp',
  'Timestamp1',
  'Timestamp2',
  'Bucket',
  'fmt',
  'filename',
  'WithConfig',
];
/** Texts that pass the first checks. */
const known = [
  'HTTP',
  'TCP',
  'Script',
  'https://a.example/',
  'example.org:80',
  'a',
  '00:30',
  'csv',
  'xml',
  'All',
  'Hour',
  '1',
  '5',
  '2026-01-01T00:00:00Z',
  'local',
  'https://u:***@a.example/',
  'UTC',
];

describe('a malformed request', () => {
  let rest: RestFixture;
  let sample: SampleAccount;
  let key: string;
  beforeAll(async () => {
    rest = await createRestFixture({
      checkNow: async () => ({ kind: 'done', checkId: sample.ids['check_id'] ?? '' }),
    });
    const account = await rest.account('one');
    ({ key } = await rest.key(account.accountNo, 'UW'));
    sample = await createSampleAccount(rest, account, key);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const text = malformedText(known);
  /** Fits into an address. */
  const short = text.map((long) => long.slice(0, 200).toWellFormed());
  const value = malformedValue(words, text);
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom(...words), value, { maxKeys: 8 }).map((sent) => JSON.stringify(sent)),
    fc
      .dictionary(fc.constantFrom(...words.slice(2, 11)), value, { maxKeys: 4 })
      .map((sent) => JSON.stringify({ Method: 'HTTP', URL: 'https://a.example/', ShortName: 'a', ...sent })),
    text,
  );
  const query = fc
    .array(fc.tuple(fc.constantFrom(...queries), short), { maxLength: 4 })
    .map((pairs) => new URLSearchParams(pairs).toString());

  it('is answered with 200 or 400, the latter in the shape of failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rest.routes.filter(({ method }) => method !== 'DELETE')),
        fc.boolean(),
        query,
        body,
        short,
        async (route, isKnown, search, raw, id) => {
          const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            isKnown ? (sample.ids[name] ?? '') : encodeURIComponent(id),
          );
          const reply = await rest.send(route.method, `${path}?${search}`, {
            key,
            ...(route.method === 'GET' ? {} : { raw }),
          });
          expect([200, 400]).toContain(reply.status);
          if (reply.status === 400)
            expect(reply.json).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
        },
      ),
      { numRuns: propertyRuns(800), endOnFailure: true },
    );
  });
});
