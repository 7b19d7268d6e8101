import { useEffect, useRef, useState } from 'preact/hooks';
import { foldChecks } from '../../model/fold-checks.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Flag } from '../../parts/flag.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { deviceWords } from '../../texts/device-words.ts';
import { type CheckView, checkQuery, useCheckPages } from './check-pages.ts';
import { CheckRow, StretchRow } from './check-stretch.tsx';
import css from './device.module.css';
import { deviceTexts } from './device-texts.ts';
import type { DeviceRange } from './range.ts';
import type { Check } from './read-detail.ts';

const say = deviceTexts;

/** The shown checks, and the newer ones that wait. */
interface SteadyChecks {
  readonly checks: readonly Check[];
  /** The number of newer checks that wait. */
  readonly waiting: number;
  /** Shows the newer checks. */
  readonly show: () => void;
  /** Event handlers for the element that contains the checks. */
  readonly touch: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

/** Keeps the rows as they are while one is opened, or while the pointer or the focus is on them. */
function useSteadyChecks(newest: readonly Check[], isOpen: boolean): SteadyChecks {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [shown, setShown] = useState(newest);
  // An empty list has no rows that could move.
  const isSteady = shown.length > 0 && (isOpen || hasPointer || hasFocus);
  useEffect(() => {
    if (!isSteady) setShown(newest);
  }, [newest, isSteady]);
  const checks = isSteady ? shown : newest;
  const known = new Set(checks.map(({ check_id }) => check_id));
  return {
    checks,
    waiting: newest.filter(({ check_id }) => !known.has(check_id)).length,
    show: () => setShown(newest),
    touch: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
      onFocusIn: () => setFocus(true),
      onFocusOut: () => setFocus(false),
    },
  };
}

const views: readonly CheckView[] = ['all', 'failed', 'slow', 'inconclusive'];
const words = {
  all: say.allChecks,
  failed: say.failedChecks,
  slow: say.slowChecks,
  inconclusive: say.inconclusiveChecks,
};

/** The checks of a device, newest first, by outcome or one by one, with filters and older pages. */
export function CheckList({
  deviceId,
  locations,
  checks: newest,
  picked,
  range,
}: {
  readonly deviceId: string;
  readonly locations: readonly string[];
  readonly checks: readonly Check[];
  /** A check that was chosen in the chart; it may be older than the list. */
  readonly picked: Check | undefined;
  readonly range: DeviceRange;
}) {
  const [view, setView] = useState<CheckView>('all');
  const [location, setLocation] = useState('');
  const [isOfRange, setOfRange] = useState(false);
  const [isFolded, setFolded] = useState(true);
  const [opened, setOpened] = useState<string>();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (picked === undefined) return;
    setView('all');
    setLocation('');
    setOpened(picked.check_id);
    section.current?.scrollIntoView({ block: 'start' });
  }, [picked]);
  const steady = useSteadyChecks(newest, opened !== undefined);
  const filter = { location, view };
  const list = useCheckPages(deviceId, { ...filter, range: isOfRange ? range : undefined }, steady.checks);
  const checks = list.rows ?? [];
  const isOlder = picked !== undefined && !checks.some(({ check_id }) => check_id === picked.check_id);
  const all = isOlder ? [picked, ...checks] : checks;
  const open = (id: string | undefined) => setOpened(id);
  const query = checkQuery({ ...filter, span: isOfRange ? range.span : undefined });
  return (
    <section ref={section} class={`section ${css['checksPart']}`} {...steady.touch}>
      <div class={css['bar']}>
        <h2>{say.checks}</h2>
        <ButtonChoice names={views} words={words} chosen={view} onChoose={setView} />
        {locations.length > 1 && (
          <select
            class={css['narrowSelect']}
            aria-label={deviceWords.location}
            value={location}
            onChange={({ currentTarget }) => setLocation(currentTarget.value)}
          >
            <option value="">{say.allLocations}</option>
            {locations.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <Flag isOn={isOfRange} set={setOfRange}>
          {say.ofRange}
        </Flag>
        <Flag isOn={isFolded} set={setFolded}>
          {say.folded}
        </Flag>
        <CsvButton
          list={`devices/${deviceId}/checks`}
          name="checks"
          query={Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))}
        />
        {steady.waiting > 0 && (
          <button type="button" class="button" onClick={steady.show}>
            {say.newChecks(steady.waiting)}
          </button>
        )}
      </div>
      {all.length === 0 && list.rows !== undefined && (
        <p class="mute">{view === 'all' && location === '' && !isOfRange ? say.noChecks : say.noMatch}</p>
      )}
      <ol class={css['checks']}>
        {isFolded
          ? foldChecks(all).map((stretch, index) => (
              // The key is the index: with a new check, the rows do not move, and change their texts.
              <StretchRow key={index} deviceId={deviceId} stretch={stretch} opened={opened} onOpen={open} />
            ))
          : all.map((check, index) => (
              <CheckRow
                key={index}
                deviceId={deviceId}
                check={check}
                isOpen={opened === check.check_id}
                onOpen={() => open(opened === check.check_id ? undefined : check.check_id)}
              />
            ))}
      </ol>
      <ReadState read={list.first} rows={3} />
      <OlderButton list={list} />
    </section>
  );
}
