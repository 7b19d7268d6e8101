import { count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

/** Texts of the import from other tools. */
export const importTexts = {
  from: 'Where the file is from',
  table: 'A table, or an apply file in JSON',
  tools: {
    'uptime-kuma': 'Uptime Kuma',
    gatus: 'Gatus',
    prometheus: 'Prometheus, blackbox_exporter',
    uptimerobot: 'UptimeRobot',
    nagios: 'Nagios, Naemon',
    icinga2: 'Icinga 2',
    smokeping: 'SmokePing',
    zabbix: 'Zabbix',
  },
  hints: {
    'uptime-kuma':
      'Its database kuma.db, copied after Uptime Kuma was stopped (your browser reads the monitors, and sends nothing else), or the backup of 1.x (JSON).',
    gatus: 'Its configuration (YAML).',
    prometheus: 'prometheus.yml with the files of file_sd that it names, or such a file alone.',
    uptimerobot: 'Answers of its API (JSON, several files), or its list as CSV.',
    nagios: 'Object files (*.cfg), or objects.cache. Several files can be chosen.',
    icinga2: 'Answers of its API (JSON): hosts, services, dependencies. Several files can be chosen.',
    smokeping: 'Its configuration.',
    zabbix: 'An export of hosts (YAML or JSON).',
  },
  files: 'Files, together at most 900 kB',
  modules: 'Modules of the blackbox_exporter (YAML), if you have your own',
  module: 'Module of targets that name none',
  read: 'Read the files',
  reading: 'Reading …',
  tooLong: (bytes: number) =>
    `Together they have ${count(Math.ceil(bytes / 1_000))} kB. Choose fewer, or run “./vantage import” on a host.`,
  tooMany: (n: number) => `${count(n)} files are chosen, and at most 50 can be sent.`,
  database: (reason: string) =>
    `The database cannot be read: ${reason}. Run “./vantage import uptime-kuma kuma.db” where the file is.`,
  noText: (name: string) => `${name} is not text in UTF-8.`,
  outcome: (read: number, things: string, devices: number, others: number, refused: number) =>
    [
      `${count(read)} ${read === 1 ? things.replace(/^(\w+)s$/, '$1') : things} read: ${devicesOf(devices)}`,
      ...(others > 0 ? [`${count(others)} became something else`] : []),
      refused === 0 ? 'everything is taken over' : `${count(refused)} not taken over`,
    ]
      .join(', ')
      .concat('.'),
  parts: {
    Refused: 'Not taken over',
    Became: 'Became something else',
    Lost: 'Taken over in part',
    Rounded: 'Rounded',
    Renamed: 'Renamed',
  },
  partOf: (words: string, n: number) => `${words}: ${count(n)}`,
  also: 'Also',
  shown: 'How the files were read',
  item: (name: string, at: string, text: string) => `${name === '' ? at : name}: ${text}`,
  more: (n: number) => `and ${count(n)} more`,
  secrets: (n: number) => `Secrets: ${count(n)}`,
  secretsHint:
    'The devices refer to these secrets. Type their values here, or store them later; checks with a missing secret fail.',
  secretsElsewhere:
    'The devices refer to these secrets. A person without a limit to tags can store them on the screen Secrets.',
  secret: (name: string, use: string) => `${name}: ${use}`,
  stored: (name: string) => `${name} is stored`,
  store: (n: number) =>
    n === 0 ? 'Store the secrets' : n === 1 ? 'Store 1 secret' : `Store ${count(n)} secrets`,
  next: 'The devices are listed below. Nothing is added yet.',
  undo: (n: number) => `${devicesOf(n)} imported`,
  undoKept: (n: number) =>
    `Undone, except Options with secrets of ${devicesOf(n)}, which keep what the import set.`,
} as const;
