import type { FormatChoices, FormatName } from './formats.ts';
import type { FormatReading } from './found-check.ts';
import { readGatus } from './gatus/read-gatus.ts';
import { readIcinga } from './icinga/read-icinga.ts';
import { readText } from './input/text-file.ts';
import { readKuma } from './kuma/read-kuma.ts';
import { readNagios } from './nagios/read-nagios.ts';
import { readPrometheus } from './prometheus/read-prometheus.ts';
import { readSmokePing } from './smokeping/read-smokeping.ts';
import { readTable } from './table/read-table.ts';
import { readUptimeRobot } from './uptimerobot/read-uptimerobot.ts';
import { readZabbix } from './zabbix/read-zabbix.ts';

/** The files of an import. Formats that read only one take the first. */
export type ImportFiles = readonly [string, ...string[]];

const readers: Readonly<Record<FormatName, (files: ImportFiles, choices: FormatChoices) => FormatReading>> = {
  csv: ([file]) => readTable(readText(file), file),
  'uptime-kuma': ([file]) => readKuma(file),
  gatus: ([file]) => readGatus(file),
  prometheus: ([file], choices) => readPrometheus(file, choices),
  uptimerobot: (files) => readUptimeRobot(files),
  nagios: (files) => readNagios(files),
  icinga2: (files) => readIcinga(files),
  smokeping: ([file]) => readSmokePing(file),
  zabbix: ([file]) => readZabbix(file),
};

/** Reads files of another tool. Throws a Fault where they cannot be used at all. */
export function readFormat(format: FormatName, files: ImportFiles, choices: FormatChoices): FormatReading {
  return readers[format](files, choices);
}
