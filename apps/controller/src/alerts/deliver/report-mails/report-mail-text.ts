import { count } from '@vantage/domain/report';
import { causeColumn, type ReportMailContent } from './report-mail-content.ts';

export function textOf({
  sentence,
  about,
  judged,
  sums,
  sections,
  rules,
  link,
  foot,
}: ReportMailContent): string {
  const parts = [
    `${sentence}.`,
    [about, judged].filter((part) => part !== '').join('\n'),
    sums.map(([name, value]) => `${name}: ${value}`).join('\n'),
    ...sections.map(({ title, hint, columns, rows, more }) =>
      [
        title,
        ...(hint === undefined ? [] : [hint]),
        ...rows.map(
          ([first = '', ...cells]) =>
            `- ${first}: ${cells.map((cell, at) => wordsOf(columns[at + 1] ?? '', cell)).join(', ')}`,
        ),
        ...(more > 0 ? [`- and ${count(more)} more`] : []),
      ].join('\n'),
    ),
    `How it is counted\n${rules.join('\n')}`,
    `The report as a page: ${link}`,
    foot,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A figure with its name; a cause needs none. */
function wordsOf(column: string, cell: string): string {
  return column === causeColumn ? cell : `${column.toLowerCase()} ${cell}`;
}
