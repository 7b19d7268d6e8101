import { turnOf } from '@vantage/alerts';
import type { Severity } from '@vantage/domain';
import { type Answers, answersOf } from './answers.ts';
import type { Notice } from './channel.ts';
import { lineText, linkText } from './chat-text.ts';
import { cut, nameIn } from './fact-text.ts';
import { joined, titleOf, whyOf } from './headline.ts';

/**
 * The phase of an alert, for receivers that keep incidents: it begins, somebody acknowledged it, it is
 * over, or something happened that has no end.
 */
export type Stage = 'begins' | 'acknowledged' | 'ends' | 'happened';

function stageOfKind(kind: string): Stage {
  if (kind === 'acknowledged') return 'acknowledged';
  return kind === 'closed' ? 'ends' : (turnOf(kind) ?? 'happened');
}

/** The stage of a message of several: that of the first one that goes on. */
export function stageOf(notices: readonly Notice[]): Stage {
  const all = notices.map((notice) => incidentOf(notice).stage);
  return all.find((stage) => stage !== 'ends') ?? all[0] ?? 'happened';
}

/** The fields of a notice for receivers that keep incidents. */
interface Incident {
  readonly stage: Stage;
  /** The same for all messages of one alert; null: the message belongs to none. */
  readonly key: string | null;
  readonly severity: Severity;
  readonly title: string;
  /** The name of its subject. */
  readonly source: string;
}

/** The notice as a part of an incident. A severity that this version does not know is critical. Pure. */
export function incidentOf(notice: Notice): Incident {
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
  return cut(why === undefined ? titleOf(notice) : `${titleOf(notice)}${joined(notice.kind, why)}`, 150);
}

/** The whole message of one notice as text, for a field of a system that keeps incidents. */
export function descriptionOf(notice: Notice): string {
  const { headline, lines, links } = answersOf(notice);
  return [headline, ...lines.map(lineText), ...links.map(linkText)].join('\n');
}

/**
 * The lines of a message by their labels, for a table of a system that keeps incidents. A label may stand several
 * times.
 */
export function detailsOf({ lines }: Answers): { readonly [label: string]: string } {
  const details: Record<string, string> = {};
  for (const { label, text } of lines)
    details[label] = details[label] === undefined ? text : `${details[label]}; ${text}`;
  return details;
}
