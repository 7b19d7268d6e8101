import {
  count,
  devicesSubject,
  inFull,
  type Line,
  minuteWords,
  type Outage,
  percent,
  type Report,
  type SpanPhrase,
  subjectSentence,
  timeWords,
  uptimeSentence,
} from '@vantage/domain/report';

/** The facts of a mail, before it is text or HTML. */
export interface ReportMailFacts {
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

/** A part of the mail: a heading and a table. */
export interface ReportSection {
  readonly title: string;
  readonly hint?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that are left out. */
  readonly more: number;
}

export const causeColumn = 'Cause as observed, and note';
const maxGroups = 30;
const maxDevices = 50;
const maxOutages = 50;
/** The address of a page names at most this many devices. */
const maxNamed = 50;

/** The parts of the mail, in their order. */
export interface ReportMailContent {
  readonly title: string;
  readonly sentence: string;
  readonly about: string;
  readonly judged: string;
  readonly sums: readonly (readonly string[])[];
  readonly sections: readonly ReportSection[];
  readonly rules: readonly string[];
  readonly link: string;
  readonly foot: string;
}

export function sentenceOf({ report: { total }, isAll }: ReportMailFacts, span: SpanPhrase): string {
  const n = total.devices.length;
  const subject = subjectSentence(devicesSubject(n, isAll), n !== 1);
  return uptimeSentence(total.uptime, { subject, span, devices: n });
}

export function sumsOf({ total: { figures, uptime, devices }, outages }: Report) {
  const longest = outages[0]?.Seconds;
  const timeOf = (seconds: number) => timeWords(seconds, uptime.total, devices.length);
  return [
    ['Uptime, of the time observed', percent(uptime.percent)],
    ['Outages', count(figures.outages)],
    ['Total downtime', inFull(figures.down, 2)],
    ['Longest outage', longest === undefined ? '–' : inFull(longest, 2)],
    ['Observed', timeOf(uptime.observed)],
    ['In maintenance', timeOf(figures.maintenance)],
    ['Unknown', timeOf(figures.unknown)],
    ...(figures.excluded > 0 ? [['Excluded', timeOf(figures.excluded)]] : []),
  ] as const;
}

export function sectionsOf({ report, isCut }: ReportMailFacts): readonly ReportSection[] {
  const { groups, devices, outages, excluded } = report;
  const unlisted = isCut ? 'The list has the newest 5,000 outages; the figures above count all.' : undefined;
  return [
    ...(groups.length > 1 ? [linesOf('By group, worst first', 'Tag', groups, maxGroups)] : []),
    ...(devices.length > 1 ? [linesOf('By device, worst first', 'Device', devices, maxDevices)] : []),
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

function linesOf(title: string, first: string, lines: readonly Line[], maxRows: number): ReportSection {
  const hasBudget = lines.some(({ budget }) => budget !== undefined);
  const leftOf = ({ budget, uptime }: Line) =>
    budget === undefined || uptime.percent === null
      ? '–'
      : budget.left < 0
        ? `${inFull(-budget.left, 2)} over`
        : inFull(budget.left, 2);
  return {
    title,
    columns: [
      first,
      'Uptime, of the time observed',
      'Observed',
      'Outages',
      'Down',
      ...(hasBudget ? ['Left'] : []),
      'Maint',
      'Unknown',
    ],
    rows: lines.slice(0, maxRows).map((line) => {
      const { name, uptime, figures, devices } = line;
      const timeOf = (seconds: number) => timeWords(seconds, uptime.total, devices.length);
      return [
        name === '' ? 'without a tag' : name,
        percent(uptime.percent),
        timeOf(uptime.observed),
        count(figures.outages),
        inFull(figures.down, 2),
        ...(hasBudget ? [leftOf(line)] : []),
        timeOf(figures.maintenance),
        timeOf(figures.unknown),
      ];
    }),
    more: Math.max(0, lines.length - maxRows),
  };
}

function outagesOf(title: string, outages: readonly Outage[], hint: string | undefined): ReportSection {
  return {
    title,
    ...(hint !== undefined && { hint }),
    columns: ['Device', 'Began', 'Lasted', causeColumn],
    rows: outages
      .slice(0, maxOutages)
      .map(({ FullName, ShortName, Start, Seconds, End, CheckResult, Note, Behind }) => [
        FullName ?? ShortName,
        minuteWords(Start),
        `${inFull(Seconds, 2)}${End === null ? ', still open' : ''}`,
        [
          CheckResult ?? 'its cause is no longer known',
          ...(Note === null ? [] : [`“${Note}”`]),
          ...(Behind > 0 ? [`${count(Behind)} behind it Down with it`] : []),
        ].join(' · '),
      ]),
    more: Math.max(0, outages.length - maxOutages),
  };
}

/** The address of the report's page. With too many devices it is the page of all devices. */
export function linkOf({ baseUrl, month, report, isAll, objective }: ReportMailFacts): string {
  const query = new URLSearchParams({ span: month });
  const ids = report.total.devices;
  if (!isAll && ids.length <= maxNamed) query.set('devices', ids.join(','));
  if (objective !== undefined) query.set('objective', String(objective / 1_000));
  return `${baseUrl}/reports?${query.toString()}`;
}
