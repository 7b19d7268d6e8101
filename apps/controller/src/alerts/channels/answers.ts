import { type AnswerLine, lineText } from './answer-line.ts';
import type { Notice } from './channel.ts';
import { lineRules } from './fact-lines.ts';
import { outageLines } from './late-outage-lines.ts';
import { headlineOf } from './message-headline.ts';
import { titleOf } from './message-title.ts';
import { sinceOf } from './since-text.ts';

/** A link of a message with what it does. */
export interface MessageLink {
  readonly label: string;
  readonly url: string;
}

/** A message about one notice, without the limits and the markup of any channel. */
export interface Answers {
  /** What, why and since, in one line. */
  readonly headline: string;
  /** The first sentence of the headline, without a full stop. */
  readonly title: string;
  /** `Down for 3 min, since 08:28:06 CET`; undefined: the facts do not say it. */
  readonly since: string | undefined;
  /** The answers that follow the headline, sorted by question. */
  readonly lines: readonly AnswerLine[];
  readonly links: readonly MessageLink[];
}

/** The message about one notice as answers to the questions of a person. Pure. */
export function answersOf(notice: Notice): Answers {
  const lines = lineRules.flatMap(([question, label, text]): AnswerLine[] => {
    const answer = text(notice);
    return answer === undefined || answer === '' ? [] : [{ question, label, text: lineText(answer) }];
  });
  return {
    headline: headlineOf(notice),
    title: titleOf(notice),
    since: sinceOf(notice),
    lines: [
      ...lines.filter(({ question }) => question !== 'next'),
      ...(notice.kind === 'late.summary' ? outageLines(notice) : []),
      ...lines.filter(({ question }) => question === 'next'),
    ],
    links: linksIn(notice),
  };
}

/** The links of one notice, the most useful one first. */
function linksIn({ links }: Notice): readonly MessageLink[] {
  if (links === null) return [];
  return [
    { label: 'Acknowledge', url: links.acknowledge },
    { label: 'Snooze', url: links.snooze },
    ...(links.details === undefined ? [] : [{ label: 'Details', url: links.details }]),
  ];
}
