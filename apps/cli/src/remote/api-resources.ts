/** A kind of resource of the REST API, with a group of commands. */
export interface ApiResource {
  /** Name of the group of commands. */
  readonly name: string;
  readonly description: string;
  /** Path of its list. */
  readonly path: string;
  readonly id: string;
  /** Fields that identify a resource for people, besides its id. */
  readonly names: readonly string[];
  /** Fields that a table shows. */
  readonly columns: readonly string[];
  /** The direction of pages; a list without pages is complete. */
  readonly page?: 'after' | 'before';
  /** The commands besides `list`. */
  readonly verbs: readonly ('get' | 'create' | 'update' | 'delete')[];
  /** The list belongs to a device, whose id replaces `{device_id}` in `path`. */
  readonly isOfDevice?: boolean;
  /** The path of a single resource, where it is not `path/{id}`. */
  readonly itemPath?: string;
  /** Names of devices identify the resource. */
  readonly isNamedByDevice?: boolean;
}

const all = ['get', 'create', 'update', 'delete'] as const;

/** The resources that commands read and change from anywhere. */
export const resources: readonly ApiResource[] = [
  {
    name: 'devices',
    description: 'devices, which agents check',
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
    description: 'tags of devices',
    path: '/tags',
    id: 'tag_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'ExternalKey', 'Source', 'tag_id'],
    verbs: all,
  },
  {
    name: 'nschedules',
    description: 'notification schedules: who is notified when',
    path: '/nschedules',
    id: 'nschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Timezone', 'ExternalKey', 'Source', 'nschedule_id'],
    verbs: all,
  },
  {
    name: 'mschedules',
    description: 'maintenance schedules',
    path: '/mschedules',
    id: 'mschedule_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Start', 'Duration', 'Recurrence', 'Timezone', 'mschedule_id'],
    verbs: all,
  },
  {
    name: 'outages',
    description: 'outages of devices, the newest first',
    path: '/outages',
    id: 'outage_id',
    names: [],
    columns: ['ShortName', 'Start', 'End', 'Seconds', 'CheckResult', 'outage_id'],
    page: 'before',
    verbs: ['get', 'update'],
  },
  {
    name: 'locations',
    description: 'Locations, the named vantage points at which agents run',
    path: '/locations',
    id: 'location_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Online', 'OfflineReason', 'ExternalKey', 'Source', 'location_id'],
    verbs: all,
  },
  {
    name: 'contacts',
    description: 'contacts, to which notifications go',
    path: '/contacts',
    id: 'contact_id',
    names: ['ExternalKey', 'Name'],
    columns: ['Name', 'Type', 'Address', 'ExternalKey', 'Source', 'contact_id'],
    verbs: all,
  },
  {
    name: 'alerts',
    description: 'alerts, the decisions to notify people',
    path: '/alerts',
    id: 'alert_id',
    names: [],
    columns: ['State', 'Kind', 'Severity', 'ShortName', 'Location', 'Since', 'CheckResult', 'alert_id'],
    page: 'before',
    verbs: ['get'],
  },
  {
    name: 'checks',
    description: 'checks of a device, the newest first',
    path: '/devices/{device_id}/checks',
    id: 'check_id',
    names: [],
    columns: ['Timestamp', 'Location', 'ResultCode', 'RequestTime', 'CheckResult', 'check_id'],
    page: 'before',
    verbs: ['get'],
    isOfDevice: true,
    itemPath: '/checks/{id}',
  },
  {
    name: 'uptime',
    description: 'uptime of devices; Timestamp1 and Timestamp2 name the period',
    path: '/uptime',
    id: 'device_id',
    names: ['ExternalKey', 'ShortName'],
    columns: ['ShortName', 'FullName', 'Uptime', 'device_id'],
    page: 'after',
    verbs: ['get'],
    itemPath: '/devices/{id}/uptime',
    isNamedByDevice: true,
  },
];

export function resourceNamed(name: string): ApiResource {
  const found = resources.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
}
