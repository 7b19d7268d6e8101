import { turnOf } from '@vantage/alerts';
import type { Severity } from '@vantage/domain';
import { type Answers, answersOf } from './answers.ts';
import type { Notice } from './channel.ts';
import { lineText, linkText } from './chat-text.ts';
import { cut, nameIn } from './fact-text.ts';
import { titleOf } from './message-title.ts';
import { whyOf, withReason } from './reason-text.ts';

/**
 * The phase of an alert, for receivers that keep incidents: it begins, it was acknowledged, it ended,
 * or the message is about something that has no end.
 */
export type IncidentStage = 'begins' | 'acknowledged' | 'ends' | 'happened';

function stageOfKind(kind: string): IncidentStage {
  if (kind === 'acknowledged') return 'acknowledged';
  return kind === 'closed' ? 'ends' : (turnOf(kind) ?? 'happened');
}

/** The stage of a message about several notices: the stage of the first notice that has not ended. */
export function stageOf(notices: readonly Notice[]): IncidentStage {
  const all = notices.map((notice) => incidentOf(notice).stage);
  return all.find((stage) => stage !== 'ends') ?? all[0] ?? 'happened';
}

/** The fields of a notice for receivers that keep incidents. */
interface IncidentFields {
  readonly stage: IncidentStage;
  /** The same for all messages of one alert; null: the message belongs to none. */
  readonly key: string | null;
  readonly severity: Severity;
  readonly title: string;
  /** The name of its subject. */
  readonly source: string;
}

/** The notice as a part of an incident. A severity that this version does not know is critical. Pure. */
export function incidentOf(notice: Notice): IncidentFields {
  const { alert_id: key, Severity: severity } = notice.data;
  return {
    stage: notice.data['Recovered'] === true ? 'ends' : stageOfKind(notice.kind),
    key: typeof key === 'string' ? key : null,
    severity: severity === 'warning' || severity === 'info' ? severity : 'critical',
    title: summaryOf(notice),
    source: nameIn(notice.data) ?? 'Vantage',
  };
}

/** The headline with its reason, in one line. Receivers that keep incidents show their own times. */
function summaryOf(notice: Notice): string {
  const why = whyOf(notice);
  return cut(why === undefined ? titleOf(notice) : `${titleOf(notice)}${withReason(notice.kind, why)}`, 150);
}

/** The whole message of one notice as text, for a field of a system that keeps incidents. */
export function descriptionOf(notice: Notice): string {
  const { headline, lines, links } = answersOf(notice);
  return [headline, ...lines.map(lineText), ...links.map(linkText)].join('\n');
}

/**
 * The lines of a message by their labels, for a table of a system that keeps incidents. Several lines may have the same
 * label.
 */
export function detailsOf({ lines }: Answers): { readonly [label: string]: string } {
  const details: Record<string, string> = {};
  for (const { label, text } of lines)
    details[label] = details[label] === undefined ? text : `${details[label]}; ${text}`;
  return details;
}
