import { useState } from 'preact/hooks';
import { briefly } from '../model/format.ts';
import { now } from '../store/clock.ts';
import { link, tryNow } from '../store/stream.ts';
import { isOutdated } from '../store/version.ts';
import { texts } from '../texts.ts';
import css from './frame.module.css';

/** A restart of a moment is told by nobody. */
const afterMs = 3_000;

/**
 * The banner about the page itself: no connection, or an old version. It covers the foot of the screen and moves
 * nothing.
 */
export function Banner() {
  const [isPutOff, setPutOff] = useState(false);
  const { lostAt, retryAt } = link.value;
  const isLost = lostAt !== undefined && now.value - lostAt > afterMs;
  return (
    <div class={css['banners']} role="status">
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
