import type { Announcement } from '../model/announcements.ts';
import { count } from '../model/format.ts';
import { devicesOf, listed } from './counted.ts';

/** Texts around every screen: navigation, connection, account, problems and states. */
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
    words: 'The controller does not answer. What is shown is as it was last known.',
    retry: (age: string) => `Trying again in ${age}.`,
    button: 'Try now',
  },
  outdated: {
    words: 'The controller has another version of this page now.',
    button: 'Reload',
    later: 'Later',
  },
  changedMeanwhile: 'Somebody else changed this device meanwhile, so nothing was done.',
  undo: {
    button: 'Undo',
    paused: (name: string) => `${name} is paused.`,
    resumed: (name: string) => `${name} is checked again.`,
    maintenance: (name: string) => `${name} is in maintenance.`,
    failed: (words: string, why: string) => `${words} This could not be undone: ${why}`,
  },
  noRights: 'This key only views. A key or person of the level UW can change devices.',
  theme: { light: 'Light', dark: 'Dark', system: 'Match system', label: 'Appearance' },
  signOut: 'Sign out',
  account: 'Account',
  /** Screens that are reached from the menu of the account. */
  places: { account: 'Account and health', pages: 'Status pages', people: 'Keys and people', audit: 'Audit' },
  signedInAs: 'Signed in as',
  title: (down: number) => (down > 0 ? `${count(down)} down · Vantage` : 'Vantage'),
  announce: ({ down, over, total }: Announcement) =>
    [
      down.length === 0 ? '' : `${listed(down)} ${down.length === 1 ? 'is' : 'are'} Down.`,
      over.length === 0 ? '' : `${listed(over)} ${over.length === 1 ? 'was' : 'were'} Down for a short time.`,
      total === 0 ? 'No device is down.' : `${devicesOf(total)} ${total === 1 ? 'is' : 'are'} down.`,
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  problem: {
    title: 'This could not be read',
    unreachable: 'The controller does not answer.',
    code: (code: number) => `Code ${code}`,
    retry: 'Try again',
    notFound: 'Not found, or you have no access.',
    deleted: 'It was deleted.',
    notAgain: (why: string) => `This could not be read again: ${why.replace(/[.!?]?$/, '.')}`,
    /** Before the age of what is shown, and after it. */
    shownFrom: 'What is shown is from',
    before: 'ago.',
  },
  drafts: {
    title: 'Leave without saving?',
    ask: 'Your changes are not saved. They stay in this form until you sign out or close this tab.',
    stay: 'Stay',
    leave: 'Leave',
    discard: 'Discard my changes',
    viewOnly:
      'You are signed in by a key or person that only views, so this form cannot be saved. Your texts are kept.',
    kept: 'Your unsaved changes are here.',
    overlaid: 'Something else was saved meanwhile. Saving replaces it with what you see.',
  },
  loading: 'Loading',
  more: 'Load more',
  states: {
    Up: 'Up',
    Down: 'Down',
    Maint: 'Maint',
    Unknown: 'Unknown',
    Retrying: 'Retrying',
    Partial: 'Partial',
    Paused: 'Paused',
    Offline: 'Offline',
  },
  ago: (age: string) => `${age} ago`,
} as const;
