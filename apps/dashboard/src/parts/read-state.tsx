import { isNotFound } from '../store/api.ts';
import { problemTexts } from '../texts/problem-texts.ts';
import { FailedScreen } from './failed-screen.tsx';
import css from './notice.module.css';
import { FailureNotice, WaitingRows } from './notice.tsx';
import { problemWords } from './problem-words.ts';
import { Since } from './time.tsx';
import type { ReadResult } from './use-read.ts';

/**
 * The state of a read: that it is running, why it failed, or how old the shown data is when it could not be read again.
 * It is placed before the data.
 */
export function ReadState({
  read,
  rows,
  title,
}: {
  readonly read: ReadResult<unknown>;
  /** Placeholder rows during the first read; 0: none. */
  readonly rows?: number;
  /** The heading of a screen that could not be read; absent: the screen shows one itself. */
  readonly title?: string;
}) {
  const { data, problem, readMs, again } = read;
  if (problem === undefined)
    return data === undefined && rows !== 0 ? <WaitingRows rows={rows ?? 6} /> : null;
  if (data === undefined)
    return title === undefined ? (
      <FailureNotice problem={problem} retry={again} />
    ) : (
      <FailedScreen title={title} problem={problem} retry={again} />
    );
  return (
    <div class={css['outdated']} role="status">
      <span>
        {isNotFound(problem) ? problemTexts.deleted : problemTexts.notAgain(problemWords(problem))}{' '}
        {problemTexts.shownFrom} <Since at={readMs} full /> {problemTexts.before}
      </span>
      <button type="button" class="button" onClick={again}>
        {problemTexts.retry}
      </button>
    </div>
  );
}
