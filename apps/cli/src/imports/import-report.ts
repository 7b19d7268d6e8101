import type { ImportNote, ImportOutcome } from '@vantage/imports';

/** The report of an import for people. It lists everything that is not in the apply file as the other tool had it. */
export function importReport(outcome: ImportOutcome, format: string): string {
  const { file, read, things, refused, became } = outcome;
  const counts = [
    `${format}: ${read} ${things} read`,
    `${file.devices.length} became devices`,
    ...(became.length > 0 ? [`${became.length} became something else`] : []),
    `${refused.length} not carried over`,
  ];
  return [
    `${counts.join(', ')}.`,
    ...linesBelow('How the file was read:', outcome.shown),
    ...notesBelow('Not carried over', refused),
    ...notesBelow('Became something else', became),
    ...notesBelow('Carried over in part', outcome.lost),
    ...notesBelow('Rounded', outcome.rounded),
    ...notesBelow('Renamed', outcome.renamed),
    ...linesBelow('Also:', outcome.ignored),
    ...linesBelow(
      `Secrets to set before the file is applied (POST /secrets), ${outcome.secrets.length}:`,
      outcome.secrets.map(({ name, use }) => `${name}: ${use}`),
    ),
  ].join('\n');
}

/** The report of `--json`. */
export function importReportData(outcome: ImportOutcome, format: string): object {
  const { file, ...rest } = outcome;
  return { format, devices: file.devices.length, tags: file.tags.length, ...rest };
}

/** Items with the same note share a line. */
function notesBelow(title: string, notes: readonly ImportNote[]): string[] {
  const byText = Map.groupBy(notes, ({ text }) => text);
  return linesBelow(
    `${title} (${notes.length}):`,
    [...byText].map(([text, group]) => `${group.map(itemName).join(', ')}: ${text}`),
  );
}

function linesBelow(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function itemName({ at, name }: ImportNote): string {
  return name === '' ? at : `${JSON.stringify(name)} (${at})`;
}
