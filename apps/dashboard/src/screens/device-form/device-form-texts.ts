import { briefly, count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

const listed = (names: readonly string[]) => names.join(', ');

/** Texts of the form of a device. */
export const deviceFormTexts = {
  change: (name: string) => `Edit ${name}`,
  copyOf: (name: string) => `Duplicate ${name}`,
  copyHint: (lost: readonly string[]) =>
    `The copy has no external key and no source.${lost.length === 0 ? '' : ` Secrets cannot be copied; enter them again: ${listed(lost)}.`}`,
  address: 'Address',
  pushAddress: (isNew: boolean) =>
    isNew
      ? 'The job calls the controller. Its address is shown once, after the device is added.'
      : 'The job calls the controller. A new address is on the screen of the device.',
  addressHint: 'A URL or a host, for example https://www.example.org or 192.0.2.1',
  method: 'Method',
  methodFixed: 'The Method of a stored device cannot be changed.',
  duplicateAs: 'Duplicate it with another one',
  guessedByScheme: (method: string, address: string) =>
    `${method}, because the address starts with ${address.trim().split('://')[0]}://`,
  guessed: {
    port: (method: string) => `${method}, because of the port`,
    path: (method: string) => `${method}, because the address has a path`,
    host: (method: string) => `${method}, because a host alone can be pinged`,
  },
  shortName: 'Short name',
  shortNameHint: '1 to 8 letters, digits or -',
  fullName: 'Name',
  when: 'When it is checked',
  frequency: 'Frequency',
  timeout: 'Timeout, seconds',
  attempts: 'Failed checks before it is Down',
  retryDelay: 'Before a retry, seconds',
  expiryDays: 'Warns before its certificate or domain ends, days',
  expiryDaysHint: 'For example 30, 14, 7; or never',
  expiryDaysDefault: 'as the account',
  default: (value: number | string) => `${value}, default`,
  severity: 'Severity',
  enabled: 'Checks',
  enabledChoices: { on: 'running', off: 'paused' },
  locations: 'Locations, in rotation',
  noLocations: 'none chosen: the default Locations of the account',
  noLocationAtAll: 'No Location: it is not checked.',
  useDefaultLocations: 'Use the default Locations',
  who: 'Who is notified, and what it depends on',
  nschedule: 'Who is notified',
  nscheduleDefault: (name: string | undefined) =>
    name === undefined ? 'no schedule: no contact is notified' : `default: ${name}`,
  mschedule: 'Recurring maintenance',
  noMschedule: 'none',
  hiddenChoice: 'one that you cannot see',
  master: 'Master',
  masterHint: 'While the master is Down, no contact is notified of this device.',
  findMaster: 'Find a device',
  suggested: 'Suggested:',
  suggestedBy: (address: string | null, traces: number) =>
    `${address === null ? '' : `${address} is `}the nearest router in ${count(traces)} ${traces === 1 ? 'traceroute' : 'traceroutes'}.`,
  suggestedIncomplete: 'A nearer router may be missing.',
  suggestedNone: (reason: string) => `No suggestion: ${reason}.`,
  suggestedIsMaster: (traces: number) => `The traceroutes suggest this master, too (${count(traces)} read).`,
  useIt: 'Use it',
  trace: 'Trace the path now',
  tracing: 'Tracing…',
  behind: (n: number) => `${devicesOf(n)} behind it:`,
  behindMore: 'all',
  tags: 'Tags',
  findTag: 'Add a tag',
  tagsHint: 'A path makes a branch: berlin/rack-3',
  newTag: (name: string) => `Create ${name}`,
  more: 'External key and source',
  externalKey: 'External key',
  externalKeyHint: 'Your own identity of the device, unique among your devices',
  source: 'Source',
  sourceHint: 'The file of `vantage apply` or the import that manages it',
  remove: 'Delete this device',
  groups: {
    expect: 'What a good answer is',
    request: 'What is sent',
    login: 'Login',
    tls: 'TLS',
    network: 'Network',
  },
  setInside: (n: number) => (n === 0 ? 'none set' : `${count(n)} set`),
  items: (n: number) => `${count(n)} ${n === 1 ? 'entry' : 'entries'}`,
  noMethods: (status: number) => `The Options of the Methods could not be read: status ${status}`,
  unset: 'not set',
  byDefault: (value: string) => `default: ${value}`,
  yes: 'yes',
  no: 'no',
  noNumber: (isWhole: boolean, min: number | undefined, max: number | undefined) => {
    const kind = isWhole ? 'A whole number' : 'A number';
    if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
    return min === undefined ? kind : `${kind}, at least ${min}`;
  },
  notFitting: (example: string | undefined) =>
    example === undefined
      ? 'It has characters that are not accepted.'
      : `Not accepted. An example: ${example}`,
  wrongItem: (item: string, example: string | undefined) =>
    `“${item}” is not accepted.${example === undefined ? '' : ` An example: ${example}`}`,
  valueWithoutName: (value: string) => `The value “${value}” needs a name.`,
  wrongName: (name: string) => `“${name}” is not a name: letters, digits and - only, no blank or colon.`,
  repeatedName: (name: string) => `${name} appears twice.`,
  wrongValue: (name: string) => `The value of ${name} has characters that are not accepted.`,
  emptyStep: (at: number) => `Number ${at} is empty: fill it in, or remove it.`,
  notJson: 'Not valid JSON. A list looks like ["a", "b"], an object like {"name": "value"}.',
  pairName: 'Name',
  pairValue: 'Value',
  pairNameOf: (words: string, at: number) => `${words}, name ${at}`,
  pairValueOf: (words: string, at: number) => `${words}, value ${at}`,
  removeRow: (name: string) => `Remove ${name}`,
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  deviceAddress: 'the address of the device',
  step: (at: number) => `Step ${at}`,
  addStep: 'Add a step',
  addRow: 'Add one',
  script: 'Script',
  scriptHint: 'JavaScript. Ctrl + Space shows what can be written; “Try it” marks the line that fails.',
  completions: 'Completions',
  completionKeys: 'Tab inserts it, the arrows choose, Esc closes.',
  faultyLine: (line: number) => `Line ${line}`,
  addMany: 'Paste a list of devices',
  try: 'Try it',
  tryAgain: 'Try again',
  trying: 'Trying…',
  tryHint: 'Runs one check from each Location now. Nothing is saved, and no contact is notified.',
  tryCut: (tried: number, all: number) => `The first ${count(tried)} of ${count(all)} Locations are tried.`,
  tryNone: 'It has no Location to be tried from.',
  notTried: (reason: string) => `could not be tried: ${reason}`,
  triedBefore: 'tried before the last change',
  worksFrom: (names: readonly string[]) =>
    names.length > 2
      ? `It works from all ${count(names.length)} Locations.`
      : `It works from ${names.join(' and ')}.`,
  partialFrom: (names: readonly string[]) =>
    `It would be Up, but Partial: it fails from ${listed(names)} only.`,
  failsFrom: (names: readonly string[]) => `It would be Down: it fails from ${listed(names)}.`,
  inconclusiveFrom: (names: readonly string[]) => `Inconclusive from ${listed(names)}.`,
  leaveOut: (name: string) => `Leave ${name} out`,
  details: (name: string) => `Details from ${name}`,
  effects: 'What saving does',
  effect: {
    changes: 'Changes',
    load: 'Checks',
    decided: 'Down',
    notifies: 'Notifies',
    conflicts: 'Note',
  },
  noChanges: 'none yet',
  changed: (name: string, before: string, after: string) => `${name}: ${before} → ${after}`,
  andChanges: (n: number) => `and ${count(n)} more`,
  newValue: 'a new value',
  lines: (n: number) => `${count(n)} lines`,
  defaultLocations: 'the default ones',
  perMinute: (perMinute: number) =>
    perMinute >= 1
      ? `${count(Math.round(perMinute * 10) / 10)} a minute`
      : `one every ${briefly(60 / perMinute)}`,
  loadOf: (rate: string, from: string) => `${rate}, ${from}`,
  loadBefore: (rate: string) => `(before: ${rate})`,
  loadPaused: 'none: it is paused',
  loadFrom: (names: readonly string[]) =>
    names.length === 1
      ? `from ${names[0]}`
      : names.length <= 3
        ? `from ${listed(names)} in rotation`
        : `from ${count(names.length)} Locations in rotation`,
  loadNowhere: 'none: no Location checks it',
  decidedWithin: (attempts: number, within: string) =>
    attempts === 1
      ? `at the first failed check, within ${within}`
      : `after ${attempts} failed checks, within ${within}`,
  nobody: 'Nobody is notified.',
  nobodyWhy: {
    noDefault: 'The account has no default schedule.',
    noStep: 'This schedule has no contact:',
  },
  chooseSchedule: 'Choose a schedule for this device.',
  createContact: 'Create a contact',
  createSchedule: 'Create a schedule',
  notifiesEmpty: 'no contact would be notified now',
  asking: 'Reading…',
  sameName: (names: readonly string[]) => `${listed(names)} has this name, too.`,
  sameAddress: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? 'has' : 'have'} the same address and Method.`,
  managed: (source: string) =>
    `${source} manages this device. The next apply of its file replaces what is changed here.`,
  save: 'Save',
  saveChanges: (n: number) => (n === 1 ? 'Save 1 change' : `Save ${count(n)} changes`),
  saving: 'Saving…',
  create: 'Add this device',
  incomplete: (n: number) => (n === 1 ? '1 field cannot be saved:' : `${count(n)} fields cannot be saved:`),
  removeAsk: (name: string) => `Delete ${name} with its checks and events? This cannot be undone.`,
  conflictTitle: 'Changed by someone else meanwhile',
  conflictHint: 'Your texts are kept. Choose for each setting that both changed, then save again.',
  conflictTaken: 'Only the other person changed:',
  conflictHead: { setting: 'Setting', mine: 'Yours', theirs: 'Saved meanwhile' },
  keepMine: 'Keep yours',
  useTheirs: 'Use theirs',
  settingNames: {
    URL: 'Address',
    ShortName: 'Short name',
    FullName: 'Name',
    Attempts: 'Failed checks',
    RetryDelay: 'Before a retry',
    ExpiryWarningDays: 'Warns before an end',
    Enabled: 'Checks',
    nschedule_id: 'Who is notified',
    mschedule_id: 'Recurring maintenance',
    device_master_id: 'Master',
    ExternalKey: 'External key',
  } as Readonly<Record<string, string>>,
} as const;
