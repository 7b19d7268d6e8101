import type { Json } from '@vantage/domain';

/** The kinds of things that a file may hold, in the order in which they are created. */
export const kindNames = ['tag', 'contact', 'nschedule', 'mschedule', 'location', 'device'] as const;
export type Kind = (typeof kindNames)[number];

/** A field that a file must give. */
export const required = Symbol('required');
/** A field that is sent and never shown. */
export const writeOnly = Symbol('write-only');

/** How a kind of thing stands in a file and in the REST API. */
export interface KindRule {
  /** For people. */
  readonly what: string;
  /** Its list in the file, and its path in the API. */
  readonly section: `${Kind}s`;
  /** Its id in the API. */
  readonly id: `${Kind}_id`;
  /** The fields by the API's names, with the value that counts where a file leaves one out. */
  readonly fields: Readonly<Record<string, Json | typeof required | typeof writeOnly>>;
  /** Fields that name another thing, and fields that name several. */
  readonly references: Readonly<Record<string, Kind>>;
}

/** The rules of each kind. */
export const kinds: Readonly<Record<Kind, KindRule>> = {
  tag: { what: 'tag', section: 'tags', id: 'tag_id', fields: { Name: required }, references: {} },
  contact: {
    what: 'contact',
    section: 'contacts',
    id: 'contact_id',
    fields: {
      Name: required,
      Type: required,
      Address: required,
      Secret: writeOnly,
      Options: null,
      Notify: null,
      Shadow: false,
    },
    references: {},
  },
  nschedule: {
    what: 'notification schedule',
    section: 'nschedules',
    id: 'nschedule_id',
    fields: { Name: required, Timezone: null, Steps: [] },
    references: {},
  },
  mschedule: {
    what: 'maintenance schedule',
    section: 'mschedules',
    id: 'mschedule_id',
    fields: {
      Name: required,
      Timezone: null,
      Start: required,
      Duration: required,
      Recurrence: null,
      EndOnFirstOk: false,
    },
    references: {},
  },
  location: {
    what: 'Location',
    section: 'locations',
    id: 'location_id',
    fields: { Name: required, PublicTargetsOnly: false, nschedule_id: null, Anchors: [] },
    references: { nschedule_id: 'nschedule' },
  },
  device: {
    what: 'device',
    section: 'devices',
    id: 'device_id',
    fields: {
      Method: required,
      URL: required,
      ShortName: required,
      FullName: null,
      Frequency: 5,
      FrequencySeconds: null,
      Timeout: 30,
      Attempts: 3,
      RetryDelay: 1,
      nschedule_id: null,
      mschedule_id: null,
      device_master_id: null,
      Locations: null,
      Options: null,
      Tags: [],
      Enabled: true,
      Severity: 'critical',
    },
    references: {
      nschedule_id: 'nschedule',
      mschedule_id: 'mschedule',
      device_master_id: 'device',
      Locations: 'location',
      Tags: 'tag',
    },
  },
};

/** The settings of a thing by the API's names. */
export type Settings = Readonly<Record<string, Json>>;

/** A thing of the account as it is. */
export interface Thing {
  readonly kind: Kind;
  readonly id: string;
  readonly key: string | null;
  readonly source: string | null;
  /** For people. */
  readonly name: string;
  /** Every field of its kind but those that are never shown; other things by their ids. */
  readonly settings: Settings;
}

/** A thing as a file has it, the file's defaults laid under it. */
export interface Entry {
  readonly kind: Kind;
  readonly key: string;
  readonly settings: Settings;
  /** `FILE:LINE:COLUMN` of it, or of one of its fields. */
  readonly at: (field?: string) => string;
}

/** Something that is wrong in a file. */
export interface Problem {
  readonly at: string;
  readonly text: string;
}

/** The name of a thing for people. */
export function nameOf(settings: Settings, key: string | null): string {
  const { FullName, ShortName, Name } = settings;
  for (const each of [FullName, Name, ShortName, key])
    if (typeof each === 'string' && each !== '') return each;
  return '(without a name)';
}
