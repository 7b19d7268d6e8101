export { countingRules } from './counting-rules.ts';
export { dueMonth, type Month, nextMonth } from './due-month.ts';
export { count, inFull, percent } from './numbers.ts';
export {
  type Figures,
  type Line,
  type Outage,
  parseObjective,
  type Report,
  reportOf,
  type UptimeRow,
} from './report.ts';
export { devicesSubject, objectiveSentences, previousSentence, subjectSentence } from './report-sentences.ts';
export {
  changedDays,
  dateAfter,
  type Moments,
  momentsOf,
  neighbour,
  parseSpan,
  type ReportSpan,
  spanAround,
  spanOfDays,
  spanText,
} from './report-span.ts';
export { dateWords, minuteWords, type SpanPhrase, spanPhrase, spanWords } from './report-words.ts';
export {
  percentOf,
  type SpanSeconds,
  timeWords,
  type Uptime,
  uptimeOf,
  uptimeSentence,
  uptimeWords,
} from './uptime-statement.ts';
