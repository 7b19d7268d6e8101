/**
 * The formats of other tools with the files that each accepts, the common ones first. The help of the command loads
 * this file and no reader.
 */
export const formatNames = {
  csv: 'a table with headers: CSV, TSV, or cells copied from a spreadsheet',
  'uptime-kuma': 'kuma.db of Uptime Kuma 1.x or 2.x, or a backup of 1.x (JSON)',
  gatus: 'the configuration of Gatus (YAML)',
  prometheus:
    'prometheus.yml or a file of file_sd, probed by the blackbox_exporter (--modules FILE, --module NAME)',
  uptimerobot: "answers of UptimeRobot's API (JSON, several files), or its list as CSV",
  nagios: 'object files of Nagios or Naemon, folders of them, or objects.cache (several files)',
  icinga2: "answers of Icinga 2's API (JSON): hosts, services, dependencies (several files)",
  smokeping: "SmokePing's configuration",
  zabbix: 'an export of hosts by Zabbix (YAML or JSON), with their templates',
} as const;

export type FormatName = keyof typeof formatNames;

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(formatNames, text);
}

/** Settings that only some formats have. */
export interface FormatChoices {
  /** `prometheus`: the file with the modules of the blackbox_exporter. */
  readonly modules?: string | undefined;
  /** `prometheus`: the module of targets that do not name one. */
  readonly module?: string | undefined;
}

/** Tools whose current statuses `compare` reads, with the files that it accepts. */
export const statusFormats = {
  'uptime-kuma': 'kuma.db',
  prometheus: 'the answer of /api/v1/query?query=probe_success (JSON)',
  nagios: 'status.dat of Nagios or Naemon',
  csv: 'a table with the columns Name, Status and, if there are any, Key, Since, Reason',
} as const;

export type StatusFormat = keyof typeof statusFormats;

export function isStatusFormat(text: string): text is StatusFormat {
  return Object.hasOwn(statusFormats, text);
}
