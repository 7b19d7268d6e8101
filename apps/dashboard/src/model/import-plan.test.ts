import { expect, test } from 'vitest';
import type { ListedSettings } from './apply-file.ts';
import { planLines } from './import-plan.ts';
import { parsePasted } from './paste-many.ts';

const stored: ListedSettings = {
  URL: '192.0.2.1',
  Method: 'PING',
  ShortName: 'core',
  FullName: 'Core',
  ExternalKey: 'a',
  Frequency: 5,
  FrequencySeconds: null,
  Timeout: 30,
  Attempts: 3,
  RetryDelay: 1,
  Severity: 'critical',
  Enabled: true,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: null,
  Locations: null,
  Options: {},
  Tags: [{ Name: 'y' }, { Name: 'x' }],
};

test('a row with the key of a device changes it, in the fields that differ', () => {
  const text = 'Key,URL,ShortName,Name,Timeout,Tags\na,192.0.2.1,core,Core,10,x;y\nb,192.0.2.9,b,B,30,\n';
  const plan = planLines(parsePasted(text).lines, [stored]);
  expect(plan.map(({ kind, fields }) => [kind, fields])).toEqual([
    ['changed', ['Timeout']],
    ['new', []],
  ]);
});

test('a device that exists keeps the names that the row does not have', () => {
  const [plan] = planLines(parsePasted('Key,URL,Timeout\na,192.0.2.1,10\n').lines, [stored]);
  expect(plan?.fields).toEqual(['Timeout']);
  expect(plan?.body).toEqual({ Method: 'PING', URL: '192.0.2.1', ExternalKey: 'a', Timeout: 10 });
});

test('a row that changes nothing is left as it is', () => {
  const text = 'Key,URL,ShortName,Name,Tags\na,192.0.2.1,core,Core,y;x\n';
  expect(planLines(parsePasted(text).lines, [stored])).toMatchObject([{ kind: 'same' }]);
});
