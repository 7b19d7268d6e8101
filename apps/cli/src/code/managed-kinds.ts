import { type Json, settingDefaults } from '@vantage/domain';

/** The kinds of resources that a file manages, in the order of creation. */
export const kindNames = ['tag', 'contact', 'nschedule', 'mschedule', 'location', 'device'] as const;
export type ManagedKind = (typeof kindNames)[number];

/** A field that a file must set. */
export const required = Symbol('required');
/** A field that the API accepts and never shows. */
export const writeOnly = Symbol('write-only');

/** The form of a kind of resource in files and in the REST API. */
export interface KindRule {
  /** Its name in messages. */
  readonly what: string;
  /** Its list in the file, and its path in the API. */
  readonly section: `${ManagedKind}s`;
  /** Its id in the API. */
  readonly id: `${ManagedKind}_id`;
  /** The fields by the API's names, with the default for a file that leaves one out. */
  readonly fields: Readonly<Record<string, Json | typeof required | typeof writeOnly>>;
  /** Fields that refer to one or several other resources. */
  readonly references: Readonly<Record<string, ManagedKind>>;
}

export const kinds: Readonly<Record<ManagedKind, KindRule>> = {
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
      ...settingDefaults,
      ExpiryWarningDays: null,
      nschedule_id: null,
      mschedule_id: null,
      device_master_id: null,
      Locations: null,
      Options: null,
      Tags: [],
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

/** Settings of a resource by the API's names. */
export type ResourceSettings = Readonly<Record<string, Json>>;

/** A resource in the account. */
export interface AccountResource {
  readonly kind: ManagedKind;
  readonly id: string;
  readonly key: string | null;
  readonly source: string | null;
  readonly name: string;
  /** Every field of its kind that the API shows. Other resources are ids. */
  readonly settings: ResourceSettings;
}

/** A resource in a file, with the file's defaults applied. */
export interface FileEntry {
  readonly kind: ManagedKind;
  readonly key: string;
  readonly settings: ResourceSettings;
  /** `FILE:LINE:COLUMN` of it, or of one of its fields. */
  readonly at: (field?: string) => string;
}

/** An error in a file, with its position. */
export interface FileProblem {
  readonly at: string;
  readonly text: string;
}

/** The best name of a resource for people. */
export function nameOf(settings: ResourceSettings, key: string | null): string {
  const { FullName, ShortName, Name } = settings;
  for (const name of [FullName, Name, ShortName, key])
    if (typeof name === 'string' && name !== '') return name;
  return '(without a name)';
}
