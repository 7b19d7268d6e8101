import { isNotFound } from '../store/api.ts';
import { texts } from '../texts/index.ts';
import { FailedScreen } from './failed-screen.tsx';
import css from './notice.module.css';
import { Failure, Waiting, wordsOf } from './notice.tsx';
import { Since } from './time.tsx';
import type { Read } from './use-read.ts';

/**
 * Everything that a read says beside its data: that it is under way, why it failed, or how old the data is that could
 * not be read again. It stands before the data.
 */
export function ReadState({
  read,
  rows,
  title,
}: {
  readonly read: Read<unknown>;
  /** Rows of the shape that waits; 0: nothing is shown while it is read for the first time. */
  readonly rows?: number;
  /** The heading of a screen of which nothing could be read; absent: the screen has one already. */
  readonly title?: string;
}) {
  const { data, problem, readMs, again } = read;
  if (problem === undefined) return data === undefined && rows !== 0 ? <Waiting rows={rows ?? 6} /> : null;
  if (data === undefined)
    return title === undefined ? (
      <Failure problem={problem} retry={again} />
    ) : (
      <FailedScreen title={title} problem={problem} retry={again} />
    );
  return (
    <div class={css['outdated']} role="status">
      <span>
        {isNotFound(problem) ? texts.problem.deleted : texts.problem.notAgain(wordsOf(problem))}{' '}
        {texts.problem.shownFrom} <Since at={readMs} full /> {texts.problem.before}
      </span>
      <button type="button" class="button" onClick={again}>
        {texts.problem.retry}
      </button>
    </div>
  );
}
