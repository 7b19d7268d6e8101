import type { Json } from '@vantage/domain';
import { type AnswerLine, lineText } from './answer-line.ts';
import type { Notice } from './channel.ts';
import { factText } from './fact-text.ts';
import { clockText, durationText } from './moment-text.ts';

/** The outages of a summary, each with its device and its times. */
export function outageLines(notice: Notice): readonly AnswerLine[] {
  const { Outages, Count } = notice.data;
  if (!Array.isArray(Outages)) return [];
  const lines = Outages.flatMap((outage): AnswerLine[] => {
    if (typeof outage !== 'object' || outage === null || Array.isArray(outage)) return [];
    const { FullName, ShortName, Start, End, Seconds, IsOver } = outage;
    const clock = (at: Json | undefined) => (typeof at === 'string' ? clockText(at, notice) : '?');
    const [short, full] = [factText(ShortName), factText(FullName)];
    const device =
      short === undefined || full === undefined || full === short
        ? (short ?? full ?? 'a device')
        : `${short} (${full})`;
    const lasted = typeof Seconds === 'number' ? `Down for ${durationText(Seconds)}, ` : '';
    const state =
      IsOver === false ? `since ${clock(Start)}, still Down` : `${clock(Start)} to ${clock(End)}, over`;
    return [{ question: 'else', label: 'Outage', text: lineText(`${device}: ${lasted}${state}`) }];
  });
  const more = typeof Count === 'number' ? Count - lines.length : 0;
  return more > 0 ? [...lines, { question: 'else', label: 'Outages', text: `${more} more` }] : lines;
}
