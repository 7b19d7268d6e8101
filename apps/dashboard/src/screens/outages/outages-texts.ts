import { count } from '../../model/format.ts';

/** Texts of the screen with the outages. */
export const outagesTexts = {
  title: 'Outages',
  none: 'No outage in this span.',
  found: (outages: number, devices: number, open: number) =>
    [
      `${count(outages)} ${outages === 1 ? 'outage' : 'outages'} of ${count(devices)} ${devices === 1 ? 'device' : 'devices'}`,
      ...(open > 0 ? [`${count(open)} not over`] : []),
    ].join(', '),
  cut: (n: number) =>
    `There are more. These are the newest ${count(n)}: choose a shorter span or set filters to see the others.`,
  spans: { 1: '24 hours', 7: '7 days', 30: '30 days', 90: '90 days', 365: '365 days' } as const,
  open: 'Not over',
  yes: 'only these',
  atOnce: 'Devices Down at once',
  most: (n: number) => `at most ${count(n)} at once`,
  longest: 'Longest downtime',
  lane: (outages: number) => `${count(outages)} ${outages === 1 ? 'outage' : 'outages'}`,
  moreDevices: (n: number) => `${count(n)} more devices had outages. They are in the list.`,
  list: 'All outages',
  columns: {
    began: 'Began',
    lasted: 'Lasted',
    device: 'Device',
    cause: 'First result',
    from: 'From',
    note: 'Note',
  },
  isOpen: 'not over',
  noCause: 'no result is stored',
  behind: (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'} behind it Down with it`,
  acknowledged: 'acknowledged',
  alert: 'Alert',
  alertOf: (name: string) => `Alert of the outage of ${name}`,
  excluded: 'excluded',
  more: (n: number) => `Show ${count(n)} more`,
} as const;
