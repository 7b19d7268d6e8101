import type { Schemas } from '@vantage/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  copiedDraft,
  deviceBody,
  deviceDraft,
  faultsOf,
  newDeviceDraft,
  optionAt,
  optionsOf,
  setOption,
  trialBody,
  Unsent,
} from './device-draft.ts';

const draft = { ...newDeviceDraft('https://www.example.org/shop'), tags: ['berlin/rack-3'] };

const stored = {
  Method: 'HTTP',
  URL: 'https://me:***@www.example.org/',
  ShortName: 'web',
  FullName: 'Web shop',
  Frequency: 1,
  FrequencySeconds: 15,
  Timeout: 30,
  Attempts: 5,
  RetryDelay: 1,
  Severity: 'warning',
  Enabled: false,
  Locations: ['Oslo'],
  Tags: [{ tag_id: 'a', Name: 'berlin/rack-3' }],
  nschedule_id: 'n1',
  mschedule_id: null,
  device_master_id: 'd2',
  ExternalKey: 'cmdb-1',
  Source: 'net/berlin',
  Options: {
    Password: '***',
    ExpectText: 'ok',
    TLS: { ClientKey: '***' },
    Headers: { Authorization: '***' },
  },
} as unknown as Schemas['Device'];

test('a trial has what a single check uses', () => {
  const { Method, URL, Options, ShortName, Timeout } = deviceBody(draft);
  expect(trialBody(draft, 'Oslo')).toEqual({ Method, URL, Options, ShortName, Timeout, Location: 'Oslo' });
  expect(trialBody(draft, 'Oslo', 'd1')).toHaveProperty('device_id', 'd1');
  expect(trialBody({ ...draft, shortName: ' ' }, 'Oslo')).not.toHaveProperty('ShortName');
});

test.each([
  ['', null],
  ['7', 7],
  ['120', 30],
  ['soon', 'soon'],
])('Timeout "%s" is tried with %j', (timeout, tried) => {
  expect(trialBody({ ...draft, timeout }, '')['Timeout']).toBe(tried);
});

test('cleared fields are sent as null, which sets their defaults', () => {
  const set = { ...draft, timeout: '17', attempts: '5', retryDelay: '9', locations: ['Oslo'], masterId: 'm' };
  expect(deviceBody(set)).toMatchObject({ Timeout: 17, Attempts: 5, RetryDelay: 9, Locations: ['Oslo'] });
  expect(deviceBody(set)).not.toHaveProperty('Retries');
  const cleared = deviceBody({ ...newDeviceDraft(''), timeout: ' ', attempts: '' });
  const empty = ['FullName', 'Options', 'Locations', 'Timeout', 'Attempts', 'Retries', 'RetryDelay'];
  const relations = ['nschedule_id', 'mschedule_id', 'device_master_id', 'ExternalKey', 'Source'];
  for (const name of [...empty, ...relations]) expect(cleared).toHaveProperty(name, null);
});

test('a stored device has its settings in the form, and the form without a change sends the same', () => {
  const form = deviceDraft(stored);
  expect(form).toMatchObject({ timeout: '', retryDelay: '', attempts: '5', intervalS: 15, isEnabled: false });
  const { Timeout: _, RetryDelay: __, Frequency: ___, Tags: ____, ...same } = stored;
  expect(deviceBody(form)).toMatchObject({
    ...same,
    Timeout: null,
    RetryDelay: null,
    Tags: ['berlin/rack-3'],
  });
});

test('a copy has the settings without secrets, external key and source, and names the secrets', () => {
  const { draft: copy, lost } = copiedDraft(stored);
  expect(lost).toEqual(['URL', 'Password', 'TLS.ClientKey', 'Headers.Authorization']);
  expect(optionsOf(copy)).toEqual({ ExpectText: 'ok' });
  expect(copy).toMatchObject({ isNew: true, externalKey: '', source: '', fullName: 'Web shop (copy)' });
  expect(copy).toMatchObject({ masterId: 'd2', nscheduleId: 'n1', intervalS: 15 });
});

test('an Option that cannot be sent is a fault of its field while its Method is chosen', () => {
  const bad = { ...draft, ...setOption(draft, ['TLS', 'MinDaysLeft'], new Unsent('soon', 'no number')) };
  expect([...faultsOf(bad)]).toEqual([['Options.TLS.MinDaysLeft', 'no number']]);
  expect(faultsOf({ ...bad, method: 'TCP' }).size).toBe(0);
  expect(faultsOf(draft).size).toBe(0);
});

test('the list of requests has the faults of their parts, and a copy has none of their masks', () => {
  const steps = [{ Name: 'a', MaxTimeMs: new Unsent('soon', 'no number') }, { Name: 'b' }];
  const bad = { ...draft, ...setOption(draft, ['Steps'], steps) };
  expect([...faultsOf(bad)]).toEqual([['Options.Steps', 'no number']]);
  const masked = [{ Name: 'a', Headers: { Cookie: '***', Accept: 'x' }, ExpectStatus: ['200'] }];
  const device = { ...stored, Options: { Steps: masked } } as unknown as Schemas['Device'];
  const { draft: copy, lost } = copiedDraft(device);
  expect(lost).toContain('Steps.Headers.Cookie');
  expect(optionsOf(copy)).toEqual({
    Steps: [{ Name: 'a', Headers: { Accept: 'x' }, ExpectStatus: ['200'] }],
  });
});

test('days of expiry warnings are a list, null or none', () => {
  expect(deviceBody({ ...draft, expiryDays: '' })['ExpiryWarningDays']).toBeNull();
  expect(deviceBody({ ...draft, expiryDays: '30, 7' })['ExpiryWarningDays']).toEqual([30, 7]);
  expect(deviceBody({ ...draft, expiryDays: 'never' })['ExpiryWarningDays']).toEqual([]);
});

test('an object without parts is not set', () => {
  const set = { ...draft, ...setOption(draft, ['TLS', 'Verify'], false) };
  expect(deviceBody(set)['Options']).toEqual({ TLS: { Verify: false } });
  expect(deviceBody({ ...set, ...setOption(set, ['TLS', 'Verify'], undefined) })['Options']).toBeNull();
});

test('choosing other Methods meanwhile changes no Options', () => {
  const method = fc.constantFrom('HTTP', 'TCP', 'DNS');
  const path = fc.constantFrom(['A'], ['B'], ['TLS', 'A'], ['TLS', 'B']);
  const step = fc.record({ method, path, value: fc.option(fc.integer(), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let form = draft;
      const last = new Map<string, unknown>();
      for (const { method: chosen, path: at, value } of steps) {
        form = { ...form, method: chosen };
        form = { ...form, ...setOption(form, at, value) };
        last.set(JSON.stringify([chosen, at]), value);
      }
      for (const [key, value] of last) {
        const [chosen, at] = JSON.parse(key) as [string, string[]];
        expect(optionAt({ ...form, method: chosen }, at)).toBe(value);
      }
    }),
  );
});
