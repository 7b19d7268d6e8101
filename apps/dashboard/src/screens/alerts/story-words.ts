import type { StoryLine } from '../../model/alert-story.ts';
import { exactTime } from '../../model/format.ts';
import { iconOf, predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { iconOfEvent } from '../../parts/event-icon.ts';
import type { IconName } from '../../parts/icon.tsx';
import type { Alert } from '../../store/alerts.ts';
import type { AlertStoryFacts } from '../../store/read-story.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { alertsTexts as say } from './alerts-texts.ts';

/** A line of a story in words. Messages have a row of their own (`MessageRow`). */
export interface LineWords {
  readonly icon: IconName;
  /** The person or contact that the line begins with. */
  readonly who?: string;
  readonly words: string;
  readonly detail?: string;
}

/** The words of an event. Its sentence repeats the type, which the first words say better. */
function eventWords(line: StoryLine & { what: 'event' }, { device, schedule }: AlertStoryFacts): LineWords {
  const { event } = line;
  const { Type, Location, CheckResult, Message } = event;
  const icon = iconOfEvent(event);
  const result = CheckResult === null ? {} : { detail: CheckResult };
  if (Type === 'Error') return { icon, words: say.firstError(Location), ...result };
  if (Type === 'Recovered') return { icon, words: say.recovered(Location), ...result };
  if (Type === 'Down') {
    // The settings may be newer than the outage: then the number of retries is not known.
    const isSame = device !== undefined && Date.parse(device.UpdatedAt) <= Date.parse(event.Timestamp);
    const retries = isSame ? Math.max(0, device.Attempts - 1) : undefined;
    return { icon, words: say.confirmed(Location, retries), ...result };
  }
  if (Type === 'Up') return { icon, words: say.upAgain(Location), ...result };
  if (Type === 'Alert')
    return { icon, words: schedule === undefined ? say.decided : say.decidedBy(schedule.Name) };
  return { icon, words: Message };
}

export function wordsOfLine(
  line: Exclude<StoryLine, { what: 'message' }>,
  facts: AlertStoryFacts,
): LineWords {
  const { alert } = facts;
  switch (line.what) {
    case 'event':
      return eventWords(line, facts);
    case 'opened':
      return {
        icon: iconOf(alert),
        words: [say.opened, alert.Location, alertTexts.severity[alert.Severity]].filter(Boolean).join(' · '),
        ...(alert.Reason === null ? {} : { detail: alert.Reason }),
      };
    case 'acknowledged':
      return {
        icon: 'Delivered',
        words: alertTexts.acknowledgedBy(alert.Acknowledged?.By ?? '', alert.Acknowledged?.Note ?? null),
      };
    case 'closed':
      return { icon: 'Up', words: say.closedAt };
    case 'planned': {
      const { to, steps, isRepeat } = line.planned;
      return {
        icon: 'Planned',
        who: to.join(', '),
        words: isRepeat ? say.plannedRepeat : say.planned,
        detail: say.plannedStep(steps),
      };
    }
  }
}

const titleOf = (alert: Alert) => `${subjectOf(alert)} ${predicateOf(alert)}`.trim();

/** The story as plain text, to be copied or sent. Times have their zone. */
export function storyText(
  facts: AlertStoryFacts,
  lines: readonly StoryLine[],
  behind: readonly string[],
): string {
  const { alert } = facts;
  const head = [
    titleOf(alert),
    ...(alert.CheckResult === null ? [] : [alert.CheckResult]),
    say.exportHead(alert.State, alertTexts.severity[alert.Severity], exactTime(alert.Since)),
    ...(behind.length > 0 ? [say.exportBehind(behind)] : []),
  ];
  const body = lines.map((line) => {
    const at = exactTime(line.at);
    if (line.what === 'message') {
      const { to, kind, course, answer } = line;
      const words = `${alertTexts.messageTo} ${to}, “${alertTexts.messageKind(kind)}”: ${alertTexts.courses[course]}`;
      return [at, words, ...(answer === undefined ? [] : [`(${answer})`])].join('  ');
    }
    const { who, words, detail } = wordsOfLine(line, facts);
    const what = who === undefined ? words : `${who}, ${words}`;
    return [at, what, ...(detail === undefined ? [] : [`(${detail})`])].join('  ');
  });
  return `${[...head, '', ...body].join('\n')}\n`;
}
