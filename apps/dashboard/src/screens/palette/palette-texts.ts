import { devicesOf } from '../../texts/counted.ts';

/** Texts of the palette, in which one searches and runs commands. */
export const paletteTexts = {
  title: 'Search or do',
  none: 'Nothing matches.',
  go: (screen: string) => `Go to ${screen}`,
  maintenance: 'Maintenance',
  contacts: 'Contacts',
  wall: 'Show the wall',
  keys: 'Keyboard shortcuts',
  theme: { light: 'Light appearance', dark: 'Dark appearance', system: 'Appearance of the system' },
  copyAddress: 'Copy the address of this screen',
  copied: 'The address is copied.',
  hint: 'Device, tag, contact, screen, or “pause core-0”',
  groups: {
    devices: 'Devices',
    do: 'Do',
    tags: 'Tags',
    locations: 'Locations',
    contacts: 'Contacts',
    schedules: 'Schedules',
    pages: 'Status pages',
    people: 'People',
    screens: 'Screens',
    actions: 'Actions',
  },
  doWith: (name: string) => `Do with ${name}`,
  verbs: {
    acknowledge: (name: string) => `Acknowledge the alert of ${name}`,
    snooze: (name: string) => `Snooze the alert of ${name} for 1 h`,
    check: (name: string) => `Check ${name} now`,
    maintenance: (name: string, isOn: boolean) =>
      isOn ? `End the maintenance of ${name}` : `Start maintenance of ${name} …`,
    pause: (name: string) => `Pause ${name}`,
    resume: (name: string) => `Resume ${name}`,
    edit: (name: string) => `Edit ${name}`,
  },
  ofTag: (n: number, down: number) => (down > 0 ? `${devicesOf(n)}, ${down} Down` : devicesOf(n)),
  notification: 'notification schedule',
  recurring: 'maintenance schedule',
  foot: [
    ['↑ ↓', 'choose'],
    ['Enter', 'open or do'],
    ['Tab', 'what can be done with it'],
    ['Esc', 'close'],
  ],
} as const;
