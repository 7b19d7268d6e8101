import { useEffect, useState } from 'preact/hooks';
import { conflictsOf, replacedBy } from '../../model/conflicts.ts';
import type { DeviceListRow } from '../../store/account-state.ts';
import { now } from '../../store/clock.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import type { MaintenanceTarget } from '../../store/maintenance-changes.ts';
import { type QuietedFilter, readQuieted } from '../../store/quieted-contacts.ts';
import { andMore } from '../../texts/counted.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { windowSpanWords, windowTitle } from './window-words.ts';

const say = maintenanceTexts.form;
const shownNames = 5;
/** The delay after the last letter, milliseconds. */
const pauseMs = 300;

function filterOf(target: MaintenanceTarget): QuietedFilter {
  switch (target.kind) {
    case 'tag':
      return { Tag: [target.tag] };
    case 'devices':
      return { ids: target.ids };
    case 'schedule':
      return { mschedule_id: target.schedule.mschedule_id };
  }
}

/** The server's sentences about who would be notified, a moment after the last change. */
function useQuieted(
  target: MaintenanceTarget | undefined,
  span: { readonly fromMs: number; readonly toMs: number },
) {
  const [sentences, setSentences] = useState<readonly string[]>();
  const filter = target === undefined ? undefined : filterOf(target);
  const isComplete = filter !== undefined && span.toMs > span.fromMs;
  // The start of a window that starts now moves with the clock.
  const key = JSON.stringify([filter, Math.round(span.fromMs / 60_000), span.toMs - span.fromMs]);
  useEffect(() => {
    setSentences(undefined);
    if (!isComplete) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      readQuieted(filter, span).then(
        (found) => isCurrent && setSentences(found),
        () => {},
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isComplete]);
  return sentences;
}

/** The devices of a window, its conflicts with other windows, and who is not notified because of it. */
export function PlanEffects({
  target,
  devices,
  isUnmatched,
  isNow,
  span,
  windows,
}: {
  readonly devices: readonly DeviceListRow[];
  /** Whether the filter matches no device. */
  readonly isUnmatched: boolean;
  /** Whether the window starts when it is sent. */
  readonly isNow: boolean;
  readonly target: MaintenanceTarget | undefined;
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly windows: readonly CalendarWindow[];
}) {
  const sentences = useQuieted(target, span);
  const names = devices
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b))
    .slice(0, shownNames);
  const others = devices.length - names.length;
  const known = windows.map((window) => ({
    ...window,
    devices: window.row?.Devices ?? [],
    isManual: window.row?.Source === 'Manual',
  }));
  const ids = new Set(devices.map(({ id }) => id));
  const conflicts = conflictsOf(known, span, ids);
  const replaced = isNow || Number.isNaN(span.toMs) ? [] : replacedBy(known, span, ids, now.value);
  return (
    <div class={css['effects']} aria-live="polite">
      <p>
        <bdi>
          {isUnmatched
            ? say.noMatch
            : say.covers(devices.length, others > 0 ? [...names, andMore(others)] : names)}
        </bdi>
      </p>
      {conflicts.map(({ item, devices: count }) => (
        <p key={`${item.fromMs}${windowTitle(item)}`} class={css['conflict']}>
          <bdi>{say.conflict(count, windowSpanWords(item), windowTitle(item))}</bdi>{' '}
          {item.isManual && item.fromMs <= now.value === isNow && say.replaces}
        </p>
      ))}
      {replaced.map(({ item, devices: count }) => (
        <p key={`${item.fromMs}${windowTitle(item)}`} class={css['conflict']}>
          <bdi>{say.leaves(count, windowSpanWords(item), windowTitle(item))}</bdi>
        </p>
      ))}
      {devices.length > 0 && sentences !== undefined && (
        <>
          <p>{say.quiet}</p>
          <ul class="hint">
            {sentences.length === 0 && <li>{say.noneAnyway}</li>}
            {sentences.map((sentence) => (
              <li key={sentence}>
                <bdi>{sentence}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
