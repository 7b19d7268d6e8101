import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListedSettings } from './apply-file.ts';
import { planLines } from './import-plan.ts';
import { undoOfImport } from './import-undo.ts';
import { parsePasted } from './paste-many.ts';

const settings = (values: Partial<ListedSettings>): ListedSettings => ({
  URL: 'https://a.example/',
  Method: 'HTTP',
  ShortName: 'a',
  FullName: 'A',
  ExternalKey: 'a',
  Frequency: 5,
  FrequencySeconds: null,
  Timeout: 10,
  Attempts: 3,
  RetryDelay: 30,
  Severity: 'critical',
  Enabled: true,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: null,
  Locations: null,
  Options: {},
  Tags: [],
  ...values,
});
const values = fc.record({
  Timeout: fc.integer({ min: 1, max: 9 }),
  Frequency: fc.constantFrom(1, 5, 10),
  // The order of tags means nothing.
  Tags: fc.subarray(['db', 'oslo', 'web']),
  FullName: fc.constantFrom('A', 'B'),
});

test('what an import changed is as before after its undo, and nothing else is sent', () => {
  fc.assert(
    fc.property(values, values, (old, next) => {
      const stored = settings({ ...old, Tags: old.Tags.map((Name) => ({ Name })) });
      const file = JSON.stringify({
        devices: [{ Key: 'a', Method: 'HTTP', URL: stored.URL, ShortName: 'a', ...next }],
      });
      const plans = planLines(parsePasted(file).lines, [stored]);
      const imported = plans.map((plan) => ({ plan, device_id: 'd1' }));
      const { requests } = undoOfImport(imported, new Map([['d1', stored]]));
      const [plan] = plans;
      expect(requests).toHaveLength(plan?.kind === 'same' ? 0 : 1);
      if (plan?.kind === 'same') return;
      const Body = requests[0]?.Body ?? {};
      expect(Object.keys(Body).toSorted()).toEqual([...(plan?.fields ?? [])].toSorted());
      expect({ ...next, ...Body }).toEqual(old);
    }),
  );
});

test('added devices are deleted, the last one first, because a master outlives those behind it', () => {
  const file = JSON.stringify({
    devices: [
      { Key: 'b', Method: 'TCP', URL: 'b:1', device_master_id: 'a' },
      { Key: 'a', Method: 'TCP', URL: 'a:1' },
    ],
  });
  const plans = planLines(parsePasted(file).lines, []);
  const imported = plans.map((plan) => ({ plan, device_id: String(plan.body['ExternalKey']) }));
  expect(undoOfImport(imported, new Map()).requests).toEqual([
    { Method: 'DELETE', Path: '/devices/b' },
    { Method: 'DELETE', Path: '/devices/a' },
  ]);
});

test('Options with secrets stay, and are counted', () => {
  const stored = settings({ Options: { Password: '***' }, Timeout: 7 });
  const file = JSON.stringify({
    devices: [
      { Key: 'a', Method: 'HTTP', URL: stored.URL, FullName: 'A', Timeout: 9, Options: { Method: 'HEAD' } },
    ],
  });
  const imported = planLines(parsePasted(file).lines, [stored]).map((plan) => ({ plan, device_id: 'd1' }));
  expect(undoOfImport(imported, new Map([['d1', stored]]))).toEqual({
    requests: [{ Method: 'PUT', Path: '/devices/d1', Body: { Timeout: 7 } }],
    kept: 1,
  });
});
