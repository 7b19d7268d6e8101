import { expect, test } from 'vitest';
import { fixedSeverityOf, toldOfUp } from './preview-kinds.ts';

const noc = { contact_id: 'a', Name: 'NOC' };
const chief = { contact_id: 'b', Name: 'Chief' };
const log = { contact_id: 'c', Name: 'Log' };

test('Up goes to those who were notified of Down, once each, and not to those who do not want it', () => {
  const down = [
    { Contacts: [noc, chief], NotNotified: [] },
    { Contacts: [noc], NotNotified: [{ ...log, Reason: 'in shadow' }] },
  ];
  const up = [
    {
      Contacts: [noc],
      NotNotified: [
        { ...chief, Reason: 'Notify of the contact does not have device.up.' },
        { ...log, Reason: 'in shadow' },
      ],
    },
  ];
  expect(toldOfUp(down, up)).toEqual({
    Contacts: [noc],
    NotNotified: [{ ...chief, Reason: 'Notify of the contact does not have device.up.' }],
  });
  expect(toldOfUp([], up)).toEqual({ Contacts: [], NotNotified: [] });
});

test('the severity of alerts without a device is fixed', () => {
  expect(fixedSeverityOf('location.offline')).toBe('critical');
  expect(fixedSeverityOf('device.slow')).toBeUndefined();
});
