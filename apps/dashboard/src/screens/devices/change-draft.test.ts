import { expect, test } from 'vitest';
import { type ChangeDraft, changeOf, emptyDraft } from './change-draft.ts';

const idOfMaster = (name: string) => (name === 'core' ? 'm1' : undefined);
const settings = (draft: Partial<ChangeDraft>) =>
  changeOf('settings', { ...emptyDraft, ...draft }, idOfMaster);

test('a field that is not touched is not in the change', () => {
  expect(settings({})).toEqual({ change: {}, problems: {} });
  expect(settings({ severity: 'info' }).change).toEqual({ Set: { Severity: 'info' } });
});

test('every field of the API can be set', () => {
  const draft = {
    frequency: '5',
    timeout: '10',
    attempts: '2',
    retryDelay: '3',
    severity: 'warning',
    nschedule: 'n1',
    mschedule: 'none',
    master: 'core',
    locations: ['Oslo'],
  };
  expect(settings(draft).change.Set).toEqual({
    Frequency: 5,
    Timeout: 10,
    Attempts: 2,
    RetryDelay: 3,
    Severity: 'warning',
    nschedule_id: 'n1',
    mschedule_id: null,
    device_master_id: 'm1',
    Locations: ['Oslo'],
  });
  expect(settings({ frequency: '30s', master: 'none', locations: null }).change.Set).toEqual({
    FrequencySeconds: 30,
    device_master_id: null,
    Locations: null,
  });
});

test('a value that cannot be sent is named, and never left out in silence', () => {
  expect(settings({ timeout: '0', attempts: '12', retryDelay: 'x', master: 'nobody' }).problems).toEqual({
    timeout: true,
    attempts: true,
    retryDelay: true,
    master: true,
  });
});

test('tags are added and removed together, but never the same one', () => {
  const tags = (addTags: string, removeTags: string) =>
    changeOf('tags', { ...emptyDraft, addTags, removeTags }, idOfMaster);
  expect(tags('a, b ,a', 'c').change).toEqual({ AddTags: ['a', 'b'], RemoveTags: ['c'] });
  expect(tags('a', 'A').problems).toEqual({ removeTags: true });
});

test('maintenance has a length and a reason, or ends what runs', () => {
  const maintenance = (draft: Partial<ChangeDraft>) =>
    changeOf('maintenance', { ...emptyDraft, ...draft }, idOfMaster).change;
  expect(maintenance({ duration: '02:00', reason: ' patch ' })).toEqual({
    Maintenance: { Duration: '02:00', Reason: 'patch' },
  });
  expect(maintenance({ start: '2027-03-28T22:00' })).toMatchObject({
    Maintenance: { Start: '2027-03-28T22:00:00' },
  });
  expect(maintenance({ isEnd: true })).toEqual({ Maintenance: null });
});
