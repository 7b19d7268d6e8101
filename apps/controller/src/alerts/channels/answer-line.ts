import { cleanLine } from '@vantage/domain';

/** The questions that a message answers, in the order in which a person who was woken by it reads them. */
export type AnsweredQuestion = 'what' | 'why' | 'where' | 'else' | 'next';

/** A line of a message. */
export interface AnswerLine {
  readonly question: AnsweredQuestion;
  readonly label: string;
  readonly text: string;
}

/** Upper limit of a line, characters. */
const maxLineLength = 1_000;

export function lineText(text: string): string {
  return cleanLine(text).slice(0, maxLineLength).toWellFormed();
}
