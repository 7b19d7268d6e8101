import type { Finding } from './found.ts';
import type { Settled } from './settle.ts';

/** The report of an import for people. It names everything that is not in the file as it was. */
export function reportText(settled: Settled, format: string): string {
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
export function reportData(settled: Settled, format: string): object {
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
