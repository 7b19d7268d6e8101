/** Headers of each meaning as people write them, in lower case, only letters and digits. */
const headers = {
  address: [
    'url',
    'address',
    'host',
    'hostname',
    'target',
    'ip',
    'ipaddress',
    'website',
    'endpoint',
    'adresse',
    'fqdn',
    'uri',
    'link',
  ],
  port: ['port', 'tcpport'],
  method: [
    'method',
    'type',
    'protocol',
    'check',
    'checktype',
    'monitortype',
    'protokoll',
    'typ',
    'kind',
    'service',
  ],
  name: [
    'fullname',
    'name',
    'friendlyname',
    'description',
    'title',
    'label',
    'device',
    'monitor',
    'bezeichnung',
    'displayname',
  ],
  shortName: ['shortname', 'short', 'alias', 'code', 'abbreviation'],
  key: ['key', 'externalkey', 'id', 'uuid', 'deviceid', 'monitorid', 'assettag', 'inventory'],
  frequency: [
    'frequency',
    'minutes',
    'everyminutes',
    'intervalminutes',
    'intervalmin',
    'frequencyminutes',
    'frequencymin',
  ],
  interval: ['interval', 'checkinterval', 'every', 'intervall', 'period'],
  timeout: ['timeout', 'timeouts', 'timeoutseconds'],
  retries: ['retries', 'retry', 'maxretries'],
  attempts: ['attempts', 'maxcheckattempts', 'failuresuntildown'],
  retryDelay: ['retrydelay', 'retryinterval'],
  tags: ['tags', 'tag', 'labels', 'categories'],
  group: ['group', 'groups', 'folder', 'site', 'location', 'standort', 'category', 'gruppe'],
  master: ['master', 'parent', 'parents', 'dependson', 'devicemasterid', 'gateway', 'upstream'],
  enabled: ['enabled', 'active', 'aktiv', 'monitored'],
  paused: ['paused', 'disabled', 'inactive'],
  severity: ['severity', 'priority'],
  locations: ['locations', 'checkedfrom', 'agents'],
  user: ['user', 'username', 'login', 'httpusername'],
  password: ['password', 'pass', 'passwort', 'httppassword'],
  keyword: ['keyword', 'expecttext', 'expectedtext', 'keywordvalue', 'contains'],
  status: [
    'expectstatus',
    'expectedstatus',
    'statuscode',
    'statuscodes',
    'expectedstatuscode',
    'expectedcode',
  ],
  server: ['dnsserver', 'nameserver', 'resolver'],
  recordType: ['recordtype', 'dnstype', 'rrtype'],
  options: ['options'],
} as const;

export type ColumnMeaning = keyof typeof headers;

/** The fields of the apply file that columns become, for the report. */
export const fieldOfMeaning: Readonly<Record<ColumnMeaning, string>> = {
  address: 'URL',
  port: 'port of the URL',
  method: 'Method',
  name: 'FullName',
  shortName: 'ShortName',
  key: 'Key',
  frequency: 'Frequency',
  interval: 'Frequency',
  timeout: 'Timeout',
  retries: 'Attempts (one more)',
  attempts: 'Attempts (failing checks until Down)',
  retryDelay: 'RetryDelay',
  tags: 'Tags',
  group: 'Tags (one path)',
  master: 'device_master_id',
  enabled: 'Enabled',
  paused: 'Enabled (inverted)',
  severity: 'Severity',
  locations: 'Locations',
  user: 'Options.User',
  password: 'Options.Password',
  keyword: 'Options.ExpectText',
  status: 'Options.ExpectStatus',
  server: 'Options.Server',
  recordType: 'Options.Type',
  options: 'Options (JSON)',
};

const nameHeaders = ['fullname', 'name', 'friendlyname'];

/** The meaning of a header. It depends on the other headers of the table: beside URL, a column Host is the name. */
export function meaningOf(header: string, tableHeaders: ReadonlySet<string>): ColumnMeaning | undefined {
  const hasOneOf = (names: readonly string[]) => names.some((name) => tableHeaders.has(name));
  if (header === 'description' && hasOneOf(nameHeaders)) return undefined;
  if (header === 'name' && tableHeaders.has('fullname')) return undefined;
  if (header === 'host' && hasOneOf(['url', 'address', 'ip', 'ipaddress', 'target']))
    return hasOneOf([...nameHeaders, 'description']) ? undefined : 'name';
  for (const [meaning, names] of Object.entries(headers))
    if (names.some((name) => name === header)) return isMeaning(meaning) ? meaning : undefined;
  return undefined;
}

function isMeaning(text: string): text is ColumnMeaning {
  return Object.hasOwn(headers, text);
}
