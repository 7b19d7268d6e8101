import { expect, test } from 'vitest';
import { locationBody, locationDraft } from './location-draft.ts';

const stored = {
  Name: 'Oslo',
  PublicTargetsOnly: true,
  nschedule_id: 'a'.repeat(48),
  ExternalKey: 'site-7',
  Source: null,
  Anchors: [
    { Name: 'gateway', Target: '192.0.2.1', Networks: ['198.51.100.0/24', '2001:db8::/32'] },
    { Name: 'provider', Target: '[2001:db8::1]:443', Networks: [] },
  ],
};

test('a draft that nobody touched is stored as it was', () => {
  expect(locationBody(locationDraft(stored))).toEqual(stored);
});

test('empty fields are stored as none, and networks may be separated by blanks, lines and commas', () => {
  const draft = { ...locationDraft(stored), nscheduleId: '', externalKey: ' ', source: '' };
  const anchors = [{ name: ' gateway ', target: '192.0.2.1 ', networks: '10.0.0.0/8,\n 192.168.0.0/16  ' }];
  expect(locationBody({ ...draft, anchors })).toMatchObject({
    nschedule_id: null,
    ExternalKey: null,
    Source: null,
    Anchors: [{ Name: 'gateway', Target: '192.0.2.1', Networks: ['10.0.0.0/8', '192.168.0.0/16'] }],
  });
});
