import { useEffect, useRef, useState } from 'preact/hooks';
import { milliseconds } from '../../model/format.ts';
import { lastGood, type Way } from '../../model/ways.ts';
import { CheckDetail, outcomeOf } from '../../parts/check-detail.tsx';
import { Mark } from '../../parts/mark.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { WayTable } from '../../parts/way-table.tsx';
import { texts } from '../../texts/index.ts';
import { Choice } from './choice.tsx';
import css from './device.module.css';
import { type Check, readExtended, readWays } from './read-detail.ts';

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
      {isOpen && <OpenedCheck key={check.check_id} deviceId={deviceId} check={check} />}
    </li>
  );
}

/** The checks as they are shown, and those that wait. */
interface SteadyChecks {
  readonly checks: readonly Check[];
  /** The number of newer checks that wait. */
  readonly waiting: number;
  /** Shows those that wait. */
  readonly show: () => void;
  /** Handlers of the element in which the checks stand. */
  readonly touch: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

/** Keeps the rows as they are while one is opened or the pointer or the focus is on them. */
function useSteadyChecks(newest: readonly Check[], isOpen: boolean): SteadyChecks {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [kept, setKept] = useState(newest);
  // An empty list has no row that could move.
  const isSteady = kept.length > 0 && (isOpen || hasPointer || hasFocus);
  useEffect(() => {
    if (!isSteady) setKept(newest);
  }, [newest, isSteady]);
  const checks = isSteady ? kept : newest;
  const known = new Set(checks.map(({ check_id }) => check_id));
  return {
    checks,
    waiting: newest.filter(({ check_id }) => !known.has(check_id)).length,
    show: () => setKept(newest),
    touch: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
      onFocusIn: () => setFocus(true),
      onFocusOut: () => setFocus(false),
    },
  };
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
  const steady = useSteadyChecks(checks, opened !== undefined);
  const failing = steady.checks.filter(({ ResultCode }) => ResultCode !== 1);
  const found = view === 'all' ? steady.checks : failing;
  const shown = found.slice(0, most);
  const isFar = picked !== undefined && !shown.some(({ check_id }) => check_id === picked.check_id);
  const words = { all: say.allChecks, failed: `${say.failedChecks} ${failing.length}` };
  return (
    <section ref={place} class={`section ${css['checksPart']}`} {...steady.touch}>
      <div class={css['bar']}>
        <h2>{say.checks}</h2>
        <Choice names={['all', 'failed']} words={words} chosen={view} onChoose={setView} />
        {steady.waiting > 0 && (
          <button type="button" class="button" onClick={steady.show}>
            {say.newChecks(steady.waiting)}
          </button>
        )}
      </div>
      {found.length === 0 && <p class="mute">{view === 'all' ? say.noChecks : say.noFailed}</p>}
      <ol class={css['checks']}>
        {[...(isFar ? [picked] : []), ...shown].map((check, at) => (
          <Row
            // By its index: a new check moves no row, the rows change their texts.
            key={at}
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

/** A check in full, with the way that was traced after it and the last good one. */
async function readOpened(deviceId: string, check: Check) {
  const extended = await readExtended(check.check_id);
  if (!('Traceroute' in extended.Extended)) return { extended, way: undefined, good: undefined };
  const ways = await readWays(deviceId);
  const way = ways.find(({ check_id }) => check_id === check.check_id);
  return { extended, way, good: way && lastGood(ways, way) };
}

function TracedWay({
  way,
  good,
}: {
  readonly way: Way;
  readonly good: (Way & { Timestamp: string }) | undefined;
}) {
  return (
    <section>
      <h3>{say.way.title}</h3>
      <WayTable way={way} good={good && { way: good, when: <Moment at={good.Timestamp} /> }} />
    </section>
  );
}

/** A stored check in full. */
function OpenedCheck({ deviceId, check }: { readonly deviceId: string; readonly check: Check }) {
  const read = useRead(() => readOpened(deviceId, check), [check.check_id]);
  const { data } = read;
  const agent = data?.extended.Agent;
  // The list of ways has no place for one that was not possible: its reason stays among the diagnostics.
  const shown = data?.way === undefined ? [] : ['Traceroute'];
  return (
    <CheckDetail check={check} extended={data?.extended.Extended} without={shown}>
      <ReadState read={read} rows={3} />
      {typeof agent === 'string' && <p class="hint">{say.agent(agent)}</p>}
      {data?.way !== undefined && <TracedWay way={data.way} good={data.good} />}
    </CheckDetail>
  );
}
