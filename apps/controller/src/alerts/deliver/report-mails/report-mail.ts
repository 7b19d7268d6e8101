import {
  count,
  countingRules,
  dateAfter,
  dateWords,
  devicesSubject,
  inFull,
  type Line,
  minuteWords,
  type Outage,
  objectiveSentences,
  parseSpan,
  percent,
  type Report,
  spanWords,
  subjectSentence,
} from '@vantage/domain/report';
import { escaped } from '../../../rest/http/form-page.ts';

/** The facts of a mail, before it is text or HTML. */
interface MailFacts {
  readonly name: string;
  /** `2026-10`. */
  readonly month: string;
  readonly zone: string;
  /** It is about all devices of the account. */
  readonly isAll: boolean;
  /** Thousandths of a percent; undefined: none. */
  readonly objective: number | undefined;
  /** Its list of outages is not complete. */
  readonly isCut: boolean;
  readonly report: Report;
  readonly baseUrl: string;
}

/** A part of the mail with a head, and a table under it. */
interface Section {
  readonly title: string;
  readonly hint?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that are left out. */
  readonly more: number;
}

const causeColumn = 'Cause as observed, and note';
const mostGroups = 30;
const mostDevices = 50;
const mostOutages = 50;
/** The address of a page names at most this many devices. */
const mostNamed = 50;

/** The mail of a monthly report: its subject, and the same figures as text and as HTML. Pure. */
export function reportMail(facts: MailFacts): {
  readonly subject: string;
  readonly body: string;
  readonly html: string;
} {
  const span = parseSpan(facts.month);
  if (span === undefined) throw new RangeError(`${facts.month} is no month`);
  const words = spanWords(span);
  const { total } = facts.report;
  const result = total.percent === null ? 'nothing was observed' : percent(total.percent);
  const sentence = sentenceOf(facts, words);
  const content = {
    title: `${facts.name}: ${words}`,
    sentence,
    about: `${dateWords(span.first)} to ${dateWords(dateAfter(span.last))}, ${facts.zone}`,
    judged: objectiveSentences(facts.report, String((facts.objective ?? 0) / 1_000), false).join(' '),
    sums: sumsOf(facts.report),
    sections: sectionsOf(facts),
    rules: [
      ...countingRules,
      'Results that agents bring later may change the figures; the page shows them as they are now.',
    ],
    link: linkOf(facts),
    foot: `Vantage sends this report after each month, because the monthly report “${facts.name}” names this address.`,
  };
  return {
    subject: `${facts.name}: ${result} in ${words}`.replaceAll('\u00a0', ' '),
    body: textOf(content),
    html: htmlOf(content),
  };
}

/** The parts of the mail, in their order. */
interface Content {
  readonly title: string;
  readonly sentence: string;
  readonly about: string;
  readonly judged: string;
  readonly sums: readonly (readonly string[])[];
  readonly sections: readonly Section[];
  readonly rules: readonly string[];
  readonly link: string;
  readonly foot: string;
}

function sentenceOf({ report: { total }, isAll }: MailFacts, words: string): string {
  if (total.percent === null) return `Nothing was observed in ${words}`;
  const n = total.devices.length;
  return `${subjectSentence(devicesSubject(n, isAll), n !== 1)} ${percent(total.percent)} of ${words}`;
}

function sumsOf({ total: { figures, percent: value }, outages }: Report) {
  const longest = outages[0]?.Seconds;
  return [
    ['Uptime', percent(value)],
    ['Outages', count(figures.outages)],
    ['Down together', inFull(figures.down, 2)],
    ['Longest outage', longest === undefined ? '–' : inFull(longest, 2)],
    ['In maintenance', inFull(figures.maintenance, 2)],
    ['Unknown', inFull(figures.unknown, 2)],
    ...(figures.excluded > 0 ? [['Excluded', inFull(figures.excluded, 2)]] : []),
  ] as const;
}

function sectionsOf({ report, isCut }: MailFacts): readonly Section[] {
  const { groups, devices, outages, excluded } = report;
  const unlisted = isCut ? 'The list has the newest 5,000 outages; the figures above count all.' : undefined;
  return [
    ...(groups.length > 1 ? [linesOf('By group, worst first', 'Tag', groups, mostGroups)] : []),
    ...(devices.length > 1 ? [linesOf('By device, worst first', 'Device', devices, mostDevices)] : []),
    ...(outages.length > 0 ? [outagesOf('Outages, the longest first', outages, unlisted)] : []),
    ...(excluded.length > 0
      ? [
          outagesOf(
            'Excluded outages',
            excluded,
            'People decided that these do not count. Their time is neither Up nor Down.',
          ),
        ]
      : []),
  ];
}

function linesOf(title: string, first: string, lines: readonly Line[], most: number): Section {
  const hasBudget = lines.some(({ budget }) => budget !== undefined);
  const leftOf = ({ budget, percent: value }: Line) =>
    budget === undefined || value === null
      ? '–'
      : budget.left < 0
        ? `${inFull(-budget.left, 2)} over`
        : inFull(budget.left, 2);
  return {
    title,
    columns: [first, 'Uptime', 'Outages', 'Down', ...(hasBudget ? ['Left'] : []), 'Maint', 'Unknown'],
    rows: lines
      .slice(0, most)
      .map((line) => [
        line.name === '' ? 'without a tag' : line.name,
        percent(line.percent),
        count(line.figures.outages),
        inFull(line.figures.down, 2),
        ...(hasBudget ? [leftOf(line)] : []),
        inFull(line.figures.maintenance, 2),
        inFull(line.figures.unknown, 2),
      ]),
    more: Math.max(0, lines.length - most),
  };
}

function outagesOf(title: string, outages: readonly Outage[], hint: string | undefined): Section {
  return {
    title,
    ...(hint !== undefined && { hint }),
    columns: ['Device', 'Began', 'Lasted', causeColumn],
    rows: outages
      .slice(0, mostOutages)
      .map(({ FullName, ShortName, Start, Seconds, End, CheckResult, Note, Behind }) => [
        FullName ?? ShortName,
        minuteWords(Start),
        `${inFull(Seconds, 2)}${End === null ? ', still open' : ''}`,
        [
          CheckResult ?? 'its cause is not known any more',
          ...(Note === null ? [] : [`“${Note}”`]),
          ...(Behind > 0 ? [`${count(Behind)} behind it Down with it`] : []),
        ].join(' · '),
      ]),
    more: Math.max(0, outages.length - mostOutages),
  };
}

/** The page of the report; with many devices by tag it is that of all. */
function linkOf({ baseUrl, month, report, isAll, objective }: MailFacts): string {
  const query = new URLSearchParams({ span: month });
  const ids = report.total.devices;
  if (!isAll && ids.length <= mostNamed) query.set('devices', ids.join(','));
  if (objective !== undefined) query.set('objective', String(objective / 1_000));
  return `${baseUrl}/reports?${query.toString()}`;
}

function textOf({ sentence, about, judged, sums, sections, rules, link, foot }: Content): string {
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

const ink = '#1c1d1f';
const mute = '#5c5e63';
const line = 'border-bottom:1px solid #e7e6e2';
const font = `font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:${ink}`;

/** Tables and inline styles only; nothing is loaded. */
function htmlOf({ title, sentence, about, judged, sums, sections, rules, link, foot }: Content): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:24px 16px;background-color:#ffffff;${font}"><main style="max-width:760px">
<h1 style="margin:0 0 4px;font-size:20px;line-height:28px">${escaped(sentence)}</h1>
<p style="margin:0 0 16px;color:${mute}">${escaped(about)}</p>
${sumsHtml(sums)}
${judged === '' ? '' : `<p style="margin:0 0 8px">${escaped(judged)}</p>`}
${sections.map(sectionHtml).join('\n')}
<h2 style="margin:28px 0 4px;font-size:14px">How it is counted</h2>
${rules.map((rule) => `<p style="margin:0 0 6px;font-size:12px;line-height:17px;color:${mute}">${escaped(rule)}</p>`).join('\n')}
<p style="margin:16px 0 0"><a href="${escaped(link)}" style="color:#3152cf">The report as a page</a></p>
<p style="margin:8px 0 0;font-size:12px;color:${mute}">${escaped(foot)}</p>
</main></body></html>
`;
}

/** The figures in sum, two in a row so that a phone shows them. */
function sumsHtml(sums: Content['sums']): string {
  const rows = sums.map(
    ([name = '', value = '']) =>
      `<tr><th scope="row" style="padding:2px 24px 2px 0;text-align:left;font-weight:normal;color:${mute}">${escaped(name)}</th><td style="padding:2px 0;font-weight:bold">${escaped(value)}</td></tr>`,
  );
  return `<table cellpadding="0" cellspacing="0" style="margin:0 0 12px;${font}">${rows.join('')}</table>`;
}

function sectionHtml({ title, hint, columns, rows, more }: Section): string {
  const [firstColumn, ...figures] = columns;
  const isText = firstColumn === 'Device' && figures[0] === 'Began';
  const align = isText ? 'left' : 'right';
  const head = columns.map(
    (name, at) =>
      `<th scope="col" style="padding:4px 12px 4px 0;text-align:${at === 0 ? 'left' : align};font-size:12px;color:${mute};${line}">${escaped(name)}</th>`,
  );
  const body = rows.map(([first = '', ...cells]) => {
    const others = cells.map(
      (cell) =>
        `<td style="padding:4px 12px 4px 0;text-align:${align};vertical-align:top;${line}">${escaped(cell)}</td>`,
    );
    return `<tr><th scope="row" style="padding:4px 12px 4px 0;text-align:left;vertical-align:top;font-weight:normal;min-width:110px;word-break:break-word;${line}">${escaped(first)}</th>${others.join('')}</tr>`;
  });
  return `<h2 style="margin:28px 0 4px;font-size:14px">${escaped(title)}</h2>
${hint === undefined ? '' : `<p style="margin:0 0 6px;color:${mute}">${escaped(hint)}</p>`}
<div role="region" aria-label="${escaped(title)}" tabindex="0" style="overflow-x:auto"><table cellpadding="0" cellspacing="0" width="100%" style="${font}"><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>
${more > 0 ? `<p style="margin:6px 0 0;color:${mute}">and ${count(more)} more</p>` : ''}`;
}
