/** A kind of thing of the REST API, for commands. */
export interface Resource {
  /** Name of the group of commands. */
  readonly name: string;
  readonly about: string;
  /** Of its list in the API. */
  readonly path: string;
  readonly id: string;
  /** Fields by which people name one, besides its id. */
  readonly names: readonly string[];
  /** Fields that a table shows. */
  readonly columns: readonly string[];
  /** Most rows of a page; a list without pages comes whole. */
  readonly page?: 'after' | 'before';
  /** Whether people create, change and delete it. */
  readonly isWritable: boolean;
}

/** The resources that commands read and change from anywhere. */
export const resources: readonly Resource[] = [
  {
    name: 'devices',
    about: 'devices: what is checked',
    path: '/devices',
    id: 'device_id',
    names: ['ExternalKey', 'ShortName'],
    columns: [
      'Status',
      'ShortName',
      'FullName',
      'Method',
      'URL',
      'StatusSince',
      'LastCheckResult',
      'device_id',
    ],
    page: 'after',
    isWritable: true,
  },
  {
    name: 'tags',
    about: 'tags of devices',
    path: '/tags',
    id: 'tag_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'ExternalKey', 'Source', 'tag_id'],
    isWritable: true,
  },
  {
    name: 'nschedules',
    about: 'notification schedules: who is notified when',
    path: '/nschedules',
    id: 'nschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Timezone', 'ExternalKey', 'Source', 'nschedule_id'],
    isWritable: true,
  },
  {
    name: 'mschedules',
    about: 'maintenance schedules',
    path: '/mschedules',
    id: 'mschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Start', 'Duration', 'Recurrence', 'Timezone', 'mschedule_id'],
    isWritable: true,
  },
  {
    name: 'outages',
    about: 'outages of devices, the newest first',
    path: '/outages',
    id: 'outage_id',
    names: [],
    columns: ['ShortName', 'Start', 'End', 'Seconds', 'CheckResult', 'outage_id'],
    page: 'before',
    isWritable: false,
  },
];
