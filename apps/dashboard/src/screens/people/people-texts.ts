import { count } from '../../model/format.ts';

const peopleOf = (n: number) => (n === 1 ? '1 person' : `${count(n)} people`);
const keysOf = (n: number) => (n === 1 ? '1 key' : `${count(n)} keys`);

/** Each level in a row, as a choice, and explained. */
const levels = {
  UR: { brief: 'may view', choice: 'View', more: 'sees devices, alerts and reports, changes nothing' },
  UO: {
    brief: 'may view and acknowledge',
    choice: 'Acknowledge',
    more: 'also acknowledges, snoozes, starts maintenance, checks now',
  },
  UW: {
    brief: 'may change',
    choice: 'Change',
    more: 'also changes devices, schedules, contacts and settings',
  },
  UA: { brief: 'may administer', choice: 'Administer', more: 'also creates keys and invites people' },
} as const;

/** Texts of the screen about keys and people. */
export const peopleTexts = {
  name: 'Keys and people',
  title: (people: number, keys: number) => `${peopleOf(people)}, ${keysOf(keys)}`,
  noRights: 'Only a key or person of level UA (“may administer”) sees keys and people.',
  levels,
  mayAll: (level: keyof typeof levels) => `${levels[level].brief} all devices`,
  mayOnly: (level: keyof typeof levels, parts: readonly string[]) =>
    `${levels[level].brief} only ${parts.join(', ')}`,
  mayNothing: (level: keyof typeof levels) =>
    `${levels[level].brief}, but sees no device: its tags were deleted`,
  people: 'People',
  noPeople: 'No one is invited. A person signs in with an e-mail address and a password instead of a key.',
  invite: 'Invite a person',
  keys: 'Keys',
  noKeys: 'There are no keys.',
  createKey: 'Create a key',
  nameless: 'without a name',
  seen: (age: string) => `seen ${age} ago`,
  neverSeen: 'never signed in',
  signIn: {
    Invited: 'invited, not accepted yet',
    Password: 'signs in with a password',
    Provider: 'signs in by single sign-on',
  },
  used: (age: string, address: string | null) =>
    address === null ? `used ${age} ago` : `used from ${address}, ${age} ago`,
  neverUsed: 'never used',
  expires: (date: string) => `ends on ${date}`,
  expired: (date: string) => `ended on ${date}`,
  never: 'no end',
  createdBy: (name: string, date: string) =>
    name === 'command line' ? `created on the command line on ${date}` : `created by ${name} on ${date}`,
  created: (date: string) => `created on ${date}`,
  change: 'Change',
  changeOf: (name: string) => `Change ${name}`,
  did: 'What it did',
  theyDid: 'What they did',
  form: {
    name: 'Name',
    keyNameHint: 'What the key is for. The audit shows this name.',
    email: 'E-mail address',
    level: 'May',
    scope: 'Only devices with these tags',
    scopeHint: 'Separated by commas; berlin/* means every tag that is below berlin now. Empty: all devices.',
    ends: 'Ends',
    endChoices: { never: 'never', d30: 'in 30 days', d90: 'in 90 days', d365: 'in a year', date: 'on a day' },
    endDate: 'Its last day',
    sentence: (name: string, rights: string) => `${name} ${rights}.`,
    somePerson: 'This person',
    someKey: 'This key',
    save: 'Save',
    inviteButton: 'Create the invitation',
    keyButton: 'Create the key',
  },
  invited: {
    title: 'The invitation is ready',
    mailed: 'The person gets the link by e-mail. You can also give it to them yourself.',
    link: 'Link for the person',
    hint: (time: string) =>
      `Send it to this person only. Whoever opens it chooses the password, once, until ${time}. It is not shown again.`,
    again: 'Invite again',
    againHint:
      'For a person who forgot the password or has another e-mail address (change it above). The previous link stops working.',
  },
  keyCreated: {
    title: 'The key is ready',
    key: 'The key',
    hint: 'Copy it now. It is not shown again, because only its hash is stored.',
    use: 'How a program sends it',
  },
  ways: {
    title: 'Signing in',
    always: 'Keys always work, and so do e-mail and password of invited people.',
    none: 'The operator can add single sign-on (VANTAGE_OIDC_ISSUER) or a proxy that signs people in (VANTAGE_SIGN_IN_HEADER).',
    fixed: 'The operator sets this in the settings of the controller. It cannot be changed here.',
    provider: 'Single sign-on',
    client: (id: string, hasSecret: boolean) =>
      `client ${id}, ${hasSecret ? 'with a secret' : 'without a secret'}`,
    callback: 'Redirect address, which the provider must know',
    groups: 'Who may sign in',
    invited: 'people who were invited',
    noGroups: 'members of groups that belong to another account',
    group: (name: string, rights: string) => `members of ${name} ${rights}`,
    header: 'Sign-in by a proxy',
    headerOf: (name: string, proxies: readonly string[]) => `the header ${name} from ${proxies.join(', ')}`,
    test: 'Test signing in',
    works: (n: number) => (n === 1 ? 'It works.' : `All ${n} parts work.`),
    fails: (n: number) => (n === 1 ? '1 part does not work.' : `${n} parts do not work.`),
    good: 'works',
    bad: 'does not work',
  },
  done: 'Done',
  revoke: 'Revoke this key',
  revokeAsk: (name: string) =>
    `Revoke ${name}? Requests with it are refused within 5 seconds, and its sessions end. This cannot be undone.`,
  remove: 'Delete this person',
  removeAsk: (name: string) => `Delete ${name}? Their sessions end now. This cannot be undone.`,
} as const;
