import { expect, test } from 'vitest';
import { useAccountPerTest } from '../../src/testing/account-per-test.ts';
import { sampleContact } from '../../src/testing/sample-account.ts';

const api = useAccountPerTest('Europe/Berlin');
const preview = async (body: object) => (await api.send('POST', '/nschedules/preview', body)).json;

test('a schedule that is not stored says who is notified when, in words, and who is not and why', async () => {
  const noc = await api.create('/contacts', { ...sampleContact, Name: 'NOC' });
  const shadow = await api.create('/contacts', { ...sampleContact, Name: 'Trial', Shadow: true });
  const ups = await api.create('/contacts', { ...sampleContact, Name: 'Ups', Notify: ['device.up'] });
  const Steps = [
    { DelayMinutes: 0, Contacts: [noc, shadow, ups] },
    { DelayMinutes: 15, Contacts: [noc], From: '08:00', To: '18:00', Days: ['Mon'], RepeatMinutes: 10_080 },
  ];
  // The night in which the clocks go forward; the account's zone counts.
  expect(await preview({ Steps, At: '2026-03-29T03:10:00' })).toEqual([
    {
      Timestamp: '2026-03-29T03:10:00+02:00',
      Steps: [1],
      Repeat: false,
      Contacts: [{ contact_id: noc, Name: 'NOC' }],
      NotNotified: [
        {
          contact_id: shadow,
          Name: 'Trial',
          Reason: 'The contact is in shadow: what it would get is stored and not sent.',
        },
        { contact_id: ups, Name: 'Ups', Reason: 'Notify of the contact does not have device.down.' },
      ],
      Text: 'Sun 03:10, at once: NOC.',
    },
    {
      Timestamp: '2026-03-30T08:00:00+02:00',
      Steps: [2],
      Repeat: false,
      Contacts: [{ contact_id: noc, Name: 'NOC' }],
      NotNotified: [],
      Text: 'Mon 08:00, after 1 d 4 h 50 min: NOC.',
    },
  ]);
  // Another zone: its hours decide, the account's zone shows them.
  expect(
    await preview({ Steps: Steps.slice(1), At: '2026-03-29T03:10:00', Timezone: 'Asia/Tokyo' }),
  ).toMatchObject([{ Timestamp: '2026-03-30T01:00:00+02:00', Text: 'Mon 08:00, after 21 h 50 min: NOC.' }]);
  expect(await preview({ Steps: [{ DelayMinutes: 0, Contacts: [shadow] }] })).toMatchObject([
    { Contacts: [], Text: expect.stringMatching(/, at once: nobody\.$/) },
  ]);
  expect(await preview({ Steps: [] })).toEqual([]);
});

test.each([
  [{}, '1004 Steps'],
  [{ Steps: [], At: 'tomorrow' }, '1004 At must be a timestamp'],
  [{ Steps: [{ DelayMinutes: 0, Contacts: ['nobody'] }] }, '1004 Steps.0.Contacts.0'],
  [{ Steps: [], Kind: 'device.sideways' }, '1004 Kind'],
  [{ Steps: [], Severity: 'grave' }, '1004 Severity'],
])('%j is refused: %s', async (body, text) => {
  expect((await api.message('POST', '/nschedules/preview', body)).slice(0, text.length)).toBe(text);
});
