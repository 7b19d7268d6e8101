import type { FormatChoices } from './format-choices.ts';
import type { FormatName } from './format-names.ts';
import type { Reading } from './found.ts';
import { readGatus } from './gatus/read-gatus.ts';
import { readIcinga } from './icinga/read-icinga.ts';
import { readText } from './input.ts';
import { readKuma } from './kuma/read-files.ts';
import { readNagios } from './nagios/read-nagios.ts';
import { readPrometheus } from './prometheus/read-prometheus.ts';
import { readSmokePing } from './smokeping/read-smokeping.ts';
import { readTable } from './table/read-table.ts';
import { readUptimeRobot } from './uptimerobot/read-uptimerobot.ts';
import { readZabbix } from './zabbix/read-zabbix.ts';

type Reader = (files: readonly [string, ...string[]], choices: FormatChoices) => Reading;

/** The reader of each format. */
export const readers: Readonly<Record<FormatName, Reader>> = {
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
