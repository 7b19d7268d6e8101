import { count } from '../../model/format.ts';

/** Texts of the screen with the hooks. */
export const hookTexts = {
  name: 'Hooks',
  title: (n: number) => (n === 1 ? '1 hook' : `${count(n)} hooks`),
  about:
    'A hook posts events to a program of yours as they are recorded, signed by Standard Webhooks. To notify people, use contacts and schedules.',
  none: 'There is no hook yet.',
  noRights: 'A key or person that is limited to tags does not see hooks.',
  add: 'Add a hook',
  all: 'all events',
  some: (types: readonly string[]) => types.join(', '),
  of: (events: string, tag: string) => `${events} of devices with the tag ${tag}`,
  failing: (age: string) => `failing for ${age}`,
  delivered: (age: string) => `delivered ${age} ago`,
  never: 'nothing delivered yet',
  givenUp: (n: number) => (n === 1 ? '1 event was given up' : `${count(n)} events were given up`),
  answer: (words: string) => `Last answer: ${words}`,
  form: {
    name: 'Name',
    address: 'Address',
    addressHint:
      'An address with https://. Plain http:// and private networks need VANTAGE_ALLOW_PRIVATE_WEBHOOKS.',
    secret: 'Signing secret',
    secretHint:
      'whsec_ and 24 to 64 bytes in base64. The receiver verifies messages with it. It is not shown again.',
    keptHint: 'Empty: the stored secret stays.',
    generate: 'Generate a secret',
    generated: 'The generated secret, for the receiver',
    which: 'Events',
    all: 'all events, also of types that later versions add',
    some: 'only these',
    groups: {
      status: 'Status of devices',
      check: 'Checks',
      alert: 'Alerts',
      location: 'Locations and agents',
      settings: 'Devices as settings',
    },
    noTypes: 'Choose at least one type of events.',
    tag: 'Only devices with the tag',
    tagHint: 'Empty: events of all devices, Locations and agents.',
    create: 'Add the hook',
    save: 'Save',
    conflict: 'Nothing was saved, because the hook was changed by someone else. Close and open it again.',
  },
  remove: 'Delete this hook',
  removeAsk: (name: string) =>
    `Delete ${name}? Events that it has not received are not sent. This cannot be undone.`,
} as const;
