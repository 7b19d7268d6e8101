import { writeFileSync } from 'node:fs';
import { Fault, messageOf } from '@vantage/kernel';
import { writeApplyFile } from './apply-file.ts';
import type { FormatChoices } from './format-choices.ts';
import type { FormatName } from './format-names.ts';
import type { Finding, Reading } from './found.ts';
import { readGatus } from './gatus/read-gatus.ts';
import { readIcinga } from './icinga/read-icinga.ts';
import { readText } from './input.ts';
import { readKuma } from './kuma/read-files.ts';
import { readNagios } from './nagios/read-nagios.ts';
import { readPrometheus } from './prometheus/read-prometheus.ts';
import { type Settled, settle } from './settle.ts';
import { readSmokePing } from './smokeping/read-smokeping.ts';
import { readTable } from './table/read-table.ts';
import { readUptimeRobot } from './uptimerobot/read-uptimerobot.ts';
import { readZabbix } from './zabbix/read-zabbix.ts';

/** The arguments of `vantage import`. */
export interface ImportRequest extends FormatChoices {
  readonly format: FormatName;
  /** The first is the format's own; Nagios takes several. */
  readonly files: readonly [string, ...string[]];
  /** `source` of the apply file; default: `import/FORMAT`. */
  readonly source?: string | undefined;
  /** The apply file; default: standard output. */
  readonly output?: string | undefined;
  /** Write nothing when something is not carried over. */
  readonly strict: boolean;
  readonly asJson: boolean;
}

/** Writes the apply file and reports on standard error. False: `--strict` held the file back. */
export async function runImport(request: ImportRequest): Promise<boolean> {
  const reading = readers[request.format](request.files, request);
  const settled = await settle(reading, request.source ?? `import/${request.format}`);
  const report = request.asJson
    ? JSON.stringify(reportData(settled, request.format), null, 2)
    : reportText(settled, request.format);
  process.stderr.write(`${report}\n`);
  if (request.strict && settled.refused.length > 0) {
    process.stderr.write('Nothing is written, because something is not carried over (--strict).\n');
    return false;
  }
  const text = writeApplyFile(settled.file);
  if (request.output === undefined) process.stdout.write(text);
  else write(request.output, text);
  return true;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

type Reader = (files: readonly [string, ...string[]], choices: FormatChoices) => Reading;

/** The reader of each format. */
const readers: Readonly<Record<FormatName, Reader>> = {
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

/** The report of an import for people. It names everything that is not in the file as it was. */
function reportText(settled: Settled, format: string): string {
  const { file, read, things, refused, became } = settled;
  const counts = [
    `${format}: ${read} ${things} read`,
    `${file.devices.length} became devices`,
    ...(became.length > 0 ? [`${became.length} became something else`] : []),
    `${refused.length} not carried over`,
  ];
  return [
    `${counts.join(', ')}.`,
    ...(settled.shown.length > 0 ? ['', 'How the file was read:', ...settled.shown.map(indent)] : []),
    ...section('Not carried over', refused),
    ...section('Became something else', became),
    ...section('Carried over in part', settled.lost),
    ...section('Rounded', settled.rounded),
    ...section('Renamed', settled.renamed),
    ...(settled.ignored.length > 0 ? ['', 'Besides:', ...settled.ignored.map(indent)] : []),
    ...(settled.secrets.length > 0
      ? [
          '',
          `Secrets to set before the file is applied (POST /secrets), ${settled.secrets.length}:`,
          ...settled.secrets.map(({ name, use }) => indent(`${name}: ${use}`)),
        ]
      : []),
  ].join('\n');
}

/** The report as data: `--json`. */
function reportData(settled: Settled, format: string): object {
  const { file, ...rest } = settled;
  return { format, devices: file.devices.length, tags: file.tags.length, ...rest };
}

/** Findings of the same text stand together; each is named. */
function section(title: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const byText = Map.groupBy(findings, ({ text }) => text);
  return [
    '',
    `${title} (${findings.length}):`,
    ...[...byText].map(([text, group]) => indent(`${group.map(shownName).join(', ')}: ${text}`)),
  ];
}

function shownName({ at, name }: Finding): string {
  return name === '' ? at : `${JSON.stringify(name)} (${at})`;
}

function indent(line: string): string {
  return `  ${line}`;
}
