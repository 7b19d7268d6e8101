import type { BulkChange, SharedSettings } from '../../model/bulk-change.ts';

/** The parts of a change that a dialog offers. */
export type ChangeKind = 'maintenance' | 'pause' | 'resume' | 'tags' | 'settings' | 'remove';

/** The fields of a change as texts. '' leaves a setting as it is; `none` is none, or the account's default. */
export interface ChangeDraft {
  readonly duration: string;
  readonly reason: string;
  readonly isEnd: boolean;
  /** The local time of the start; '': now. */
  readonly start: string;
  readonly addTags: string;
  readonly removeTags: string;
  /** `5` are minutes, `30s` are seconds. */
  readonly frequency: string;
  readonly timeout: string;
  readonly attempts: string;
  readonly retryDelay: string;
  readonly severity: string;
  readonly nschedule: string;
  readonly mschedule: string;
  /** The name of the master. */
  readonly master: string;
  /** undefined: as it is; null: the default Locations. */
  readonly locations: readonly string[] | null | undefined;
}

export const emptyDraft: ChangeDraft = {
  duration: '01:00',
  reason: '',
  isEnd: false,
  start: '',
  addTags: '',
  removeTags: '',
  frequency: '',
  timeout: '',
  attempts: '',
  retryDelay: '',
  severity: '',
  nschedule: '',
  mschedule: '',
  master: '',
  locations: undefined,
};

export const none = 'none';

/** The limits of the API for the numbers that many devices can share. */
export const numberLimits = { timeout: [1, 120], attempts: [1, 11], retryDelay: [1, 300] } as const;
type NumberField = keyof typeof numberLimits;
const numberFields: Readonly<Record<NumberField, 'Timeout' | 'Attempts' | 'RetryDelay'>> = {
  timeout: 'Timeout',
  attempts: 'Attempts',
  retryDelay: 'RetryDelay',
};

/** The change that a draft describes. `problems` are the fields that cannot be sent. */
export interface DraftedChange {
  readonly change: BulkChange;
  readonly problems: Readonly<Partial<Record<keyof ChangeDraft, true>>>;
}

const listOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

const idOrNull = (value: string) => (value === none ? null : value);

/** The change that a draft describes. `idOfMaster` finds a device by its name. */
export function changeOf(
  kind: ChangeKind,
  draft: ChangeDraft,
  idOfMaster: (name: string) => string | undefined,
): DraftedChange {
  switch (kind) {
    case 'maintenance': {
      const Reason = draft.reason.trim() === '' ? null : draft.reason.trim();
      const start = draft.start === '' ? {} : { Start: `${draft.start}:00` };
      return {
        change: { Maintenance: draft.isEnd ? null : { Duration: draft.duration, Reason, ...start } },
        problems: {},
      };
    }
    case 'pause':
      return { change: { Set: { Enabled: false } }, problems: {} };
    case 'resume':
      return { change: { Set: { Enabled: true } }, problems: {} };
    case 'remove':
      return { change: { Delete: true }, problems: {} };
    case 'tags':
      return tagChange(draft);
    case 'settings':
      return settingsChange(draft, idOfMaster);
  }
}

function tagChange({ addTags, removeTags }: ChangeDraft): DraftedChange {
  const [AddTags, RemoveTags] = [listOf(addTags), listOf(removeTags)];
  const added = AddTags.map((tag) => tag.toLowerCase());
  const isTwice = RemoveTags.some((tag) => added.includes(tag.toLowerCase()));
  return {
    change: {
      ...(AddTags.length > 0 ? { AddTags } : {}),
      ...(RemoveTags.length > 0 ? { RemoveTags } : {}),
    },
    problems: isTwice ? { removeTags: true } : {},
  };
}

function settingsChange(draft: ChangeDraft, idOfMaster: (name: string) => string | undefined): DraftedChange {
  const { frequency, severity, nschedule, mschedule, master, locations } = draft;
  const set: Record<string, unknown> = {};
  const problems: Partial<Record<keyof ChangeDraft, true>> = {};
  if (frequency.endsWith('s')) set['FrequencySeconds'] = Number.parseInt(frequency, 10);
  else if (frequency !== '') set['Frequency'] = Number(frequency);
  for (const field of Object.keys(numberFields) as readonly NumberField[]) {
    const text = draft[field].trim();
    if (text === '') continue;
    const [least, most] = numberLimits[field];
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) set[numberFields[field]] = number;
    else problems[field] = true;
  }
  if (severity !== '') set['Severity'] = severity;
  if (nschedule !== '') set['nschedule_id'] = idOrNull(nschedule);
  if (mschedule !== '') set['mschedule_id'] = idOrNull(mschedule);
  if (master.trim() !== '') {
    const id = master.trim().toLowerCase() === none ? null : idOfMaster(master.trim());
    if (id === undefined) problems.master = true;
    else set['device_master_id'] = id;
  }
  if (locations !== undefined) set['Locations'] = locations;
  return { change: Object.keys(set).length === 0 ? {} : { Set: set as SharedSettings }, problems };
}
