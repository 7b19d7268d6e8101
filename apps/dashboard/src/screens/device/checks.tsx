import { useEffect, useRef, useState } from 'preact/hooks';
import { milliseconds } from '../../model/format.ts';
import { outcomeOf } from '../../parts/check-detail.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Moment } from '../../parts/time.tsx';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import { OpenedCheck } from './opened-check.tsx';
import type { Check } from './read-detail.ts';

const say = texts.device;
const step = 20;

function Row({
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
  const { mark, word } = outcomeOf(check);
  return (
    <li>
      <button type="button" class={css['check']} aria-expanded={isOpen} onClick={onOpen}>
        <Moment at={check.Timestamp} />
        <Mark name={mark} word={word} />
        <span class={css['from']}>{check.Location}</span>
        <span class={css['said']} title={check.CheckResult}>
          {check.CheckResult}
        </span>
        <span class="num">{milliseconds(check.RequestTime === 0 ? null : check.RequestTime)}</span>
      </button>
      {isOpen && <OpenedCheck deviceId={deviceId} check={check} />}
    </li>
  );
}

/** The last checks, newest first; one of them opened. */
export function Checks({
  deviceId,
  checks,
  picked,
}: {
  readonly deviceId: string;
  readonly checks: readonly Check[];
  /** One that was chosen elsewhere, perhaps an older one. */
  readonly picked: Check | undefined;
}) {
  const [view, setView] = useState<'all' | 'failed'>('all');
  const [opened, setOpened] = useState<string>();
  const [most, setMost] = useState(step);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (picked === undefined) return;
    setView('all');
    setOpened(picked.check_id);
    place.current?.scrollIntoView({ block: 'start' });
  }, [picked]);
  const found = view === 'all' ? checks : checks.filter(({ ResultCode }) => ResultCode !== 1);
  const failed = checks.filter(({ ResultCode }) => ResultCode !== 1).length;
  const shown = found.slice(0, most);
  const isFar = picked !== undefined && !shown.some(({ check_id }) => check_id === picked.check_id);
  const words = { all: say.allChecks, failed: `${say.failedChecks} ${failed}` };
  return (
    <section ref={place} class={`section ${css['checksPart']}`}>
      <div class={css['bar']}>
        <h2>{say.checks}</h2>
        <Choice names={['all', 'failed']} words={words} chosen={view} onChoose={setView} />
      </div>
      {found.length === 0 && <p class="mute">{view === 'all' ? say.noChecks : say.noFailed}</p>}
      <ol class={css['checks']}>
        {[...(isFar ? [picked] : []), ...shown].map((check) => (
          <Row
            key={check.check_id}
            deviceId={deviceId}
            check={check}
            isOpen={opened === check.check_id}
            onOpen={() => setOpened(opened === check.check_id ? undefined : check.check_id)}
          />
        ))}
      </ol>
      {found.length > most && (
        <button type="button" class={`button ${css['more']}`} onClick={() => setMost(most + step)}>
          {texts.more}
        </button>
      )}
    </section>
  );
}
