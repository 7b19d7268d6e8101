import { useState } from 'preact/hooks';
import type { Stretch } from '../../model/fold-checks.ts';
import { count, milliseconds } from '../../model/format.ts';
import { outcomeOf } from '../../parts/check-detail.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/time.tsx';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import { OpenedCheck } from './opened-check.tsx';
import type { Check } from './read-detail.ts';

/** A check as a row that can be opened. */
export function CheckRow({
  deviceId,
  check,
  isOpen,
  onOpen,
}: {
  readonly deviceId: string;
  readonly check: Check;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { icon, word } = outcomeOf(check);
  return (
    <li>
      <button type="button" class={css['check']} aria-expanded={isOpen} onClick={onOpen}>
        <Moment at={check.Timestamp} />
        <Icon name={icon} word={word} />
        <span class={css['from']}>{check.Location}</span>
        <span class={css['said']} title={check.CheckResult}>
          {check.CheckResult}
        </span>
        <span class="num">{milliseconds(check.RequestTime === 0 ? null : check.RequestTime)}</span>
      </button>
      {isOpen && <OpenedCheck key={check.check_id} deviceId={deviceId} check={check} />}
    </li>
  );
}

const step = 20;

/** Neighbouring checks with the same outcome as one row; opened, it has each of them. */
export function StretchRow({
  deviceId,
  stretch,
  opened,
  onOpen,
}: {
  readonly deviceId: string;
  readonly stretch: Stretch<Check>;
  readonly opened: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [most, setMost] = useState(step);
  const { checks, result, median } = stretch;
  const [newest] = checks;
  const oldest = checks.at(-1);
  if (newest === undefined || oldest === undefined) return null;
  const row = (check: Check) => (
    <CheckRow
      key={check.check_id}
      deviceId={deviceId}
      check={check}
      isOpen={opened === check.check_id}
      onOpen={() => onOpen(opened === check.check_id ? undefined : check.check_id)}
    />
  );
  if (checks.length === 1) return row(newest);
  const hasOpened = checks.some(({ check_id }) => check_id === opened);
  const { icon, word } = outcomeOf(newest);
  // The first check of a failure is shown too: it has the transcript and the path.
  const shown = checks.slice(0, most);
  const hidden = checks.length - shown.length;
  return (
    <li>
      <button
        type="button"
        class={css['check']}
        aria-expanded={isOpen || hasOpened}
        onClick={() => {
          if (hasOpened) onOpen(undefined);
          setOpen(!(isOpen || hasOpened));
        }}
      >
        <Moment at={oldest.Timestamp} />
        <Icon name={icon} word={word} />
        <span class={css['from']}>{say.checksOf(checks.length)}</span>
        <span class={css['said']} title={result}>
          {result}
        </span>
        <span class="num">{milliseconds(median)}</span>
      </button>
      {(isOpen || hasOpened) && (
        <div class={css['stretch']}>
          <ol>
            {shown.map(row)}
            {hidden > 1 && (
              <li>
                <button
                  type="button"
                  class={`button ${css['more']}`}
                  onClick={() => setMost(most + 5 * step)}
                >
                  {say.moreChecks(count(hidden - 1))}
                </button>
              </li>
            )}
            {hidden > 0 && row(oldest)}
          </ol>
        </div>
      )}
    </li>
  );
}
