import {
  countingRules,
  dateAfter,
  dateWords,
  objectiveSentences,
  parseSpan,
  spanPhrase,
  spanWords,
  uptimeWords,
} from '@vantage/domain/report';
import { linkOf, type ReportMailFacts, sectionsOf, sentenceOf, sumsOf } from './report-mail-content.ts';
import { htmlOf } from './report-mail-html.ts';
import { textOf } from './report-mail-text.ts';

/** The mail of a monthly report: its subject, and the same figures as text and as HTML. Pure. */
export function reportMail(facts: ReportMailFacts): {
  readonly subject: string;
  readonly body: string;
  readonly html: string;
} {
  const span = parseSpan(facts.month);
  if (span === undefined) throw new RangeError(`${facts.month} is no month`);
  const words = spanWords(span);
  const phrase = spanPhrase(span);
  const { uptime, devices } = facts.report.total;
  // “99.951 % of October 2026”, or “100 % of the 6 min observed in October 2026”.
  const result = uptimeWords(uptime, phrase.time, devices.length);
  const sentence = sentenceOf(facts, phrase);
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
    subject: `${facts.name}: ${result}${uptime.coverage === 'whole' ? '' : ` ${phrase.within}`}`.replaceAll(
      '\u00a0',
      ' ',
    ),
    body: textOf(content),
    html: htmlOf(content),
  };
}
