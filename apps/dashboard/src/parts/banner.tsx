import { useState } from 'preact/hooks';
import { briefly } from '../model/format.ts';
import { now } from '../store/clock.ts';
import { link, tryNow } from '../store/stream.ts';
import { undoable, undoLast } from '../store/undo.ts';
import { isOutdated } from '../store/version.ts';
import { texts } from '../texts/index.ts';
import css from './frame.module.css';
import { wordsOf } from './notice.tsx';

/** A restart of a moment is told by nobody. */
const afterMs = 3_000;

/** The last change, and the button that takes it back. */
function Undo() {
  const last = undoable.value;
  if (last === undefined) return null;
  if (last.problem !== undefined)
    return <p class={css['banner']}>{texts.undo.failed(last.words, wordsOf(last.problem))}</p>;
  return (
    <p class={css['banner']}>
      <span>{last.words}</span>
      <button type="button" class="button" onClick={() => void undoLast()}>
        {texts.undo.button} <kbd>z</kbd>
      </button>
    </p>
  );
}

/**
 * The banner at the foot: no connection, an old version of the page, or what was changed last. It moves nothing.
 */
export function Banner() {
  const [isPutOff, setPutOff] = useState(false);
  const { lostAt, retryAt } = link.value;
  const isLost = lostAt !== undefined && now.value - lostAt > afterMs;
  return (
    <div class={css['banners']} role="status">
      <Undo />
      {isLost && (
        <p class={css['banner']}>
          <span>
            {texts.lost.words}{' '}
            {retryAt > now.value && (
              <span aria-hidden="true">{texts.lost.retry(briefly((retryAt - now.value) / 1_000))}</span>
            )}
          </span>
          <button type="button" class="button" onClick={tryNow}>
            {texts.lost.button}
          </button>
        </p>
      )}
      {isOutdated.value && !isPutOff && (
        <p class={css['banner']}>
          <span>{texts.outdated.words}</span>
          <button type="button" class="button main" onClick={() => location.reload()}>
            {texts.outdated.button}
          </button>
          <button type="button" class="button" onClick={() => setPutOff(true)}>
            {texts.outdated.later}
          </button>
        </p>
      )}
    </div>
  );
}
