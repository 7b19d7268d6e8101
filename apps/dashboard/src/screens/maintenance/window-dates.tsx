import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import type { PreviewWindow } from '../../store/maintenance-schedules.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { type RecurringDraft, timesOf } from './recurring-draft.ts';
import { dayWords } from './window-words.ts';

const say = maintenanceTexts.recurring;
/** The delay after the last letter, milliseconds. */
const pauseMs = 250;

/** The next windows of a draft, and how clock changes affect them. */
export function WindowDates({ draft }: { readonly draft: RecurringDraft }) {
  const [state, setState] = useState<{ windows: readonly PreviewWindow[]; problem?: unknown }>({
    windows: [],
  });
  const body = timesOf(draft);
  useEffect(() => {
    let isCurrent = true;
    const preview = () => {
      take(api.POST('/mschedules/preview', { body })).then(
        (windows) => isCurrent && setState({ windows }),
        (problem: unknown) => isCurrent && setState({ windows: [], problem }),
      );
    };
    const timer = setTimeout(preview, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [JSON.stringify(body)]);
  return (
    <section class={css['dates']} aria-live="polite">
      <h2>{say.dates}</h2>
      {state.problem !== undefined && (
        <p class="hint">
          {say.noAnswer} {problemWords(state.problem)}
        </p>
      )}
      <ol>
        {state.windows.map(({ LocalStart, Start, Note }) => (
          <li key={LocalStart}>
            <Icon name={Start === null ? 'Failed' : 'Planned'} />
            <span>
              <span class={Start === null ? css['skipped'] : ''}>
                {dayWords(LocalStart.slice(0, 10))} {LocalStart.slice(0, 4)}, {LocalStart.slice(11)}
              </span>
              {Note !== null && <span class={css['dateNote']}>{Note}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
