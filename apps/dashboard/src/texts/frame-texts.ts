import type { Announcement } from '../model/announcements.ts';
import { count } from '../model/format.ts';
import { devicesOf, listed } from './counted.ts';

/** Texts around every screen: navigation, connection, account menu and undo. */
export const frameTexts = {
  name: 'Vantage',
  skip: 'to the content',
  main: 'Main',
  screens: {
    overview: 'Overview',
    devices: 'Devices',
    alerts: 'Alerts',
    locations: 'Locations',
    schedules: 'Schedules',
    reports: 'Reports',
  },
  search: 'Search or do…',
  live: 'Live',
  stale: (age: string) => `No news for ${age}`,
  connecting: 'Connecting',
  lost: {
    words: 'The controller does not answer. The page shows the last known state.',
    retry: (age: string) => `Trying again in ${age}.`,
    button: 'Try now',
  },
  outdated: {
    words: 'The controller has a newer version of this page.',
    button: 'Reload',
    later: 'Later',
  },
  changedMeanwhile: 'Nothing was done, because the device was changed by someone else in the meantime.',
  undo: {
    button: 'Undo',
    paused: (name: string) => `${name} is paused.`,
    resumed: (name: string) => `${name} is checked again.`,
    changed: (name: string) => `${name} is changed.`,
    maintenance: (name: string) => `${name} is in maintenance.`,
    maintenanceEnded: (name: string) => `The maintenance of ${name} has ended.`,
    failed: (words: string, why: string) => `${words} This could not be undone: ${why}`,
  },
  theme: { light: 'Light', dark: 'Dark', system: 'Match system', label: 'Appearance' },
  signIn: 'Sign in',
  signOut: 'Sign out',
  account: 'Account',
  /** Screens that are reached from the account menu. */
  menu: {
    outages: 'Outages',
    events: 'Events',
    account: 'Account and health',
    password: 'Change password',
    pages: 'Status pages',
    tags: 'Tags',
    secrets: 'Secrets',
    hooks: 'Hooks',
    people: 'Keys and people',
    audit: 'Audit',
    quarantine: 'Quarantine',
  },
  signedInAs: 'Signed in as',
  notSent: 'Nothing was sent, because no one was signed in. Try again.',
  title: (down: number) => (down > 0 ? `${count(down)} down · Vantage` : 'Vantage'),
  announce: ({ down, over, total }: Announcement) =>
    [
      down.length === 0 ? '' : `${listed(down)} ${down.length === 1 ? 'is' : 'are'} Down.`,
      over.length === 0 ? '' : `${listed(over)} ${over.length === 1 ? 'was' : 'were'} Down for a short time.`,
      total === 0 ? 'No device is down.' : `${devicesOf(total)} ${total === 1 ? 'is' : 'are'} down.`,
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
} as const;
