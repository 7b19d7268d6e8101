import { dateWords } from '@vantage/domain/report';
import { dateIn } from '../../model/format.ts';

/** A moment in a zone, to the minute. */
export function minuteIn(zone: string, ms: number): string {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, timeStyle: 'short' }).format(ms);
  return `${dateWords(dateIn(zone, ms))} ${time}`;
}
