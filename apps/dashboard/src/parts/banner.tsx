import { useState } from 'preact/hooks';
import { briefly } from '../model/format.ts';
import { now } from '../store/clock.ts';
import { link, tryNow } from '../store/stream.ts';
import { told } from '../store/told.ts';
import { undoable, undoLast } from '../store/undo.ts';
import { isOutdated } from '../store/version.ts';
import { frameTexts } from '../texts/frame-texts.ts';
import css from './page-frame.module.css';
import { problemWords } from './problem-words.ts';

/** A connection that returns within this time is not reported: the controller may restart. */
const afterMs = 3_000;

/** The last change, and the button that undoes it. */
function UndoBanner() {
  const last = undoable.value;
  if (last === undefined) return null;
  if (last.problem !== undefined)
    return <p class={css['banner']}>{frameTexts.undo.failed(last.words, problemWords(last.problem))}</p>;
  return (
    <p class={css['banner']}>
      <span>{last.words}</span>
      <button type="button" class="button" onClick={() => void undoLast()}>
        {frameTexts.undo.button} <kbd>z</kbd>
      </button>
    </p>
  );
}

/**
 * The banner at the foot: a lost connection, an old version of the page, or the last change. It moves nothing else.
 */
export function Banner() {
  const [isDismissed, setDismissed] = useState(false);
  const { lostAt, retryAt } = link.value;
  const isLost = lostAt !== undefined && now.value - lostAt > afterMs;
  return (
    <div class={css['banners']} role="status">
      {told.value !== '' && <p class={css['banner']}>{told.value}</p>}
      <UndoBanner />
      {isLost && (
        <p class={css['banner']}>
          <span>
            {frameTexts.lost.words}{' '}
            {retryAt > now.value && (
              <span aria-hidden="true">{frameTexts.lost.retry(briefly((retryAt - now.value) / 1_000))}</span>
            )}
          </span>
          <button type="button" class="button" onClick={tryNow}>
            {frameTexts.lost.button}
          </button>
        </p>
      )}
      {isOutdated.value && !isDismissed && (
        <p class={css['banner']}>
          <span>{frameTexts.outdated.words}</span>
          <button type="button" class="button main" onClick={() => location.reload()}>
            {frameTexts.outdated.button}
          </button>
          <button type="button" class="button" onClick={() => setDismissed(true)}>
            {frameTexts.outdated.later}
          </button>
        </p>
      )}
    </div>
  );
}
