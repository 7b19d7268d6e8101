import type { FormatChoices, FormatName } from './formats.ts';
import type { FormatReading } from './found-check.ts';
import { readGatus } from './gatus/read-gatus.ts';
import { readIcinga } from './icinga/read-icinga.ts';
import { diskFiles, type InputFiles } from './input/input-files.ts';
import { readKuma } from './kuma/read-kuma.ts';
import { readNagios } from './nagios/read-nagios.ts';
import { readPrometheus } from './prometheus/read-prometheus.ts';
import { readSmokePing } from './smokeping/read-smokeping.ts';
import { readTable } from './table/read-table.ts';
import { readUptimeRobot } from './uptimerobot/read-uptimerobot.ts';
import { readZabbix } from './zabbix/read-zabbix.ts';

/** The files of an import. Formats that read only one take the first. */
export type ImportFiles = readonly [string, ...string[]];

type ReadFiles = (files: ImportFiles, choices: FormatChoices, input: InputFiles) => FormatReading;

const readers: Readonly<Record<FormatName, ReadFiles>> = {
  csv: ([file], _, input) => readTable(input.readText(file), file),
  'uptime-kuma': ([file], _, input) => readKuma(file, input),
  gatus: ([file], _, input) => readGatus(file, input),
  prometheus: ([file], choices, input) => readPrometheus(file, choices, input),
  uptimerobot: (files, _, input) => readUptimeRobot(files, input),
  nagios: (files, _, input) => readNagios(files, input),
  icinga2: (files, _, input) => readIcinga(files, input),
  smokeping: ([file], _, input) => readSmokePing(file, input),
  zabbix: ([file], _, input) => readZabbix(file, input),
};

/** Reads files of another tool. Throws a Fault where they cannot be used at all. */
export function readFormat(
  format: FormatName,
  files: ImportFiles,
  choices: FormatChoices,
  input: InputFiles = diskFiles,
): FormatReading {
  return readers[format](files, choices, input);
}
