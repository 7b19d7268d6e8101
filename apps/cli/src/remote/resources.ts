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
  /** The commands besides `list`. */
  readonly verbs: readonly ('get' | 'create' | 'update' | 'delete')[];
  /** The list is that of one device, whose id stands for `{device_id}` in `path`. */
  readonly isOfDevice?: boolean;
  /** The path of one, where it is not that of the list and the id; `{id}` stands for its id. */
  readonly one?: string;
  /** It is named by the names of a device. */
  readonly isNamedByDevice?: boolean;
}

const all = ['get', 'create', 'update', 'delete'] as const;

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
    verbs: all,
  },
  {
    name: 'tags',
    about: 'tags of devices',
    path: '/tags',
    id: 'tag_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'ExternalKey', 'Source', 'tag_id'],
    verbs: all,
  },
  {
    name: 'nschedules',
    about: 'notification schedules: who is notified when',
    path: '/nschedules',
    id: 'nschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Timezone', 'ExternalKey', 'Source', 'nschedule_id'],
    verbs: all,
  },
  {
    name: 'mschedules',
    about: 'maintenance schedules',
    path: '/mschedules',
    id: 'mschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Start', 'Duration', 'Recurrence', 'Timezone', 'mschedule_id'],
    verbs: all,
  },
  {
    name: 'outages',
    about: 'outages of devices, the newest first',
    path: '/outages',
    id: 'outage_id',
    names: [],
    columns: ['ShortName', 'Start', 'End', 'Seconds', 'CheckResult', 'outage_id'],
    page: 'before',
    verbs: ['get', 'update'],
  },
  {
    name: 'locations',
    about: 'Locations, the named vantage points at which agents run',
    path: '/locations',
    id: 'location_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Online', 'OfflineReason', 'ExternalKey', 'Source', 'location_id'],
    verbs: all,
  },
  {
    name: 'contacts',
    about: 'contacts, to which notifications go',
    path: '/contacts',
    id: 'contact_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Type', 'Address', 'ExternalKey', 'Source', 'contact_id'],
    verbs: all,
  },
  {
    name: 'alerts',
    about: 'alerts, the decisions to notify people',
    path: '/alerts',
    id: 'alert_id',
    names: [],
    columns: ['State', 'Kind', 'Severity', 'ShortName', 'Location', 'Since', 'CheckResult', 'alert_id'],
    page: 'before',
    verbs: ['get'],
  },
  {
    name: 'checks',
    about: 'checks of a device, the newest first',
    path: '/devices/{device_id}/checks',
    id: 'check_id',
    names: [],
    columns: ['Timestamp', 'Location', 'ResultCode', 'RequestTime', 'CheckResult', 'check_id'],
    page: 'before',
    verbs: ['get'],
    isOfDevice: true,
    one: '/checks/{id}',
  },
  {
    name: 'uptime',
    about: 'uptime of devices; Timestamp1 and Timestamp2 name the period',
    path: '/uptime',
    id: 'device_id',
    names: ['ExternalKey', 'ShortName'],
    columns: ['ShortName', 'FullName', 'Uptime', 'device_id'],
    page: 'after',
    verbs: ['get'],
    one: '/devices/{id}/uptime',
    isNamedByDevice: true,
  },
];

/** The resource with this name. */
export function resourceNamed(name: string): Resource {
  const found = resources.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
}
