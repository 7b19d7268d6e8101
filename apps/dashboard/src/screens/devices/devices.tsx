import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { compareBy, type FoundByUrl, fits, parseFilter, withField } from '../../model/device-filter.ts';
import { count } from '../../model/format.ts';
import { states } from '../../model/state.ts';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Mark } from '../../parts/mark.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { counts, type DeviceRow, progress, readFacts, readSoFar, rows } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { searchDevices } from '../../store/read-states.ts';
import { texts } from '../../texts/index.ts';
import { DeviceLine, LineHead } from './device-line.tsx';
import css from './devices.module.css';
import { SelectionBar } from './selection-bar.tsx';
import { createSteadyRows } from './steady-rows.ts';
import { TagTree } from './tag-tree.tsx';

const say = texts.devices;

/** The filter is the text in the address, so that a list can be sent as a link. */
const text = computed(() => address.value.query.get('q') ?? '');
const filter = computed(() => parseFilter(text.value));
const sort = computed(() => filter.value.sort);
// Sorted once, and not at each letter of a search.
const ordered = computed<readonly DeviceRow[]>(() => [...rows.value].sort(compareBy(sort.value)));
const byUrl = accountSignal<FoundByUrl | undefined>(undefined);
const found = computed(() => ordered.value.filter((row) => fits(filter.value, row, byUrl.value)));
const selected = accountSignal<ReadonlySet<string>>(new Set());
const chosenRows = computed(() => rows.value.filter(({ id }) => selected.value.has(id)));
const allChosen = computed(
  () => found.value.length > 0 && found.value.every(({ id }) => selected.value.has(id)),
);
/** The list is sorted at once when this changes. */
const question = computed(() => ({ text: text.value, read: progress.value, byUrl: byUrl.value }));
const steady = createSteadyRows(rows, found, question);
const active = accountSignal('');

/** The word of the search that the API is asked for: lists hold no URLs. */
const asked = computed(() => filter.value.words.toSorted((a, b) => b.length - a.length)[0] ?? '');
const shortestAsked = 3;
const askAfterMs = 250;

/** Finds devices by their URL a moment after the last letter. */
function useSearchByUrl(): void {
  const word = asked.value;
  useEffect(() => {
    if (word.length < shortestAsked) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      searchDevices(word).then(
        (ids) => {
          if (isCurrent) byUrl.value = { word, ids };
        },
        () => {}, // Names are found without it.
      );
    }, askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [word]);
}

function setFilter(next: string): void {
  active.value = '';
  go(next === '' ? '/devices' : `/devices?q=${encodeURIComponent(next)}`, { replace: true });
}

function toggle(id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

function selectAll(): void {
  selected.value = new Set(found.value.map(({ id }) => id));
}

/** An action takes what is selected, so nothing stays selected that a new filter hides. */
function keepShown(): void {
  const shown = new Set(found.value.map(({ id }) => id));
  const still = [...selected.value].filter((id) => shown.has(id));
  if (still.length !== selected.value.size) selected.value = new Set(still);
}

function clearSelection(): void {
  selected.value = new Set();
}

function Chips() {
  return (
    <div class={css['chips']}>
      {states
        .filter((state) => state !== 'Up' && (counts.value[state] > 0 || filter.value.states.includes(state)))
        .map((state) => {
          const isOn = filter.value.states.includes(state);
          const next = withField(text.value, 'status', isOn ? undefined : state.toLowerCase());
          return (
            <button
              key={state}
              type="button"
              class={css['chip']}
              aria-pressed={isOn}
              onClick={() => setFilter(next)}
            >
              <Mark name={state} />
              {texts.states[state]} {count(counts.value[state])}
            </button>
          );
        })}
      <span class={css['grow']} />
      {mayWrite.value && (
        <a class="button" href="/devices/new">
          {say.add} <kbd>c</kbd>
        </a>
      )}
    </div>
  );
}

function useListKeys(focusSearch: () => void): void {
  const rowAt = (by: number) => {
    const shown = steady.rows.value;
    const at = shown.findIndex(({ id }) => id === active.value);
    return shown[Math.min(shown.length - 1, Math.max(0, at + by))];
  };
  const move = (by: number) => {
    const id = rowAt(by)?.id ?? '';
    active.value = id;
    // The row may be shown only after the list has scrolled.
    setTimeout(
      () => document.querySelector<HTMLElement>(`[data-device="${id}"] a`)?.focus({ preventScroll: true }),
      30,
    );
  };
  const extend = (by: number) => {
    const both = [active.value, rowAt(by)?.id ?? ''].filter((id) => id !== '');
    move(by);
    if (mayOperate.value) selected.value = new Set([...selected.value, ...both]);
  };
  useKeys({
    '/': focusSearch,
    j: () => move(1),
    k: () => move(-1),
    J: () => extend(1),
    K: () => extend(-1),
    x: () => {
      if (steady.rows.value.some(({ id }) => id === active.value)) toggle(active.value);
    },
    'Ctrl+a': selectAll,
    Escape: () => {
      if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
      else if (selected.value.size > 0) clearSelection();
      else setFilter('');
    },
  });
}

function Nothing() {
  const isEmpty = rows.value.length === 0;
  return (
    <div class={css['nothing']}>
      <p>{isEmpty ? say.empty : say.none}</p>
      {isEmpty && mayWrite.value && (
        <a class="button main" href="/devices/new">
          {say.add}
        </a>
      )}
      {!isEmpty && (
        <button type="button" class="button" onClick={() => setFilter('')}>
          {say.wider}
        </button>
      )}
    </div>
  );
}

function List() {
  const isTall = () => (matchMedia('(max-width: 820px)').matches ? 64 : 32);
  const chooseAll = allChosen.value ? clearSelection : selectAll;
  if (progress.value === 'loading' && rows.value.length === 0)
    return (
      <div class={css['waiting']}>
        <Waiting rows={16} />
      </div>
    );
  if (typeof progress.value === 'object' && rows.value.length === 0)
    return <Failure problem={progress.value.problem} retry={() => void readFacts()} />;
  if (steady.rows.value.length === 0) return <Nothing />;
  return (
    <RowList
      rows={steady.rows.value}
      heightOf={isTall}
      keyOf={({ id }) => id}
      activeKey={active.value}
      onTouch={steady.touch}
      label={say.title}
      head={
        <LineHead
          count={found.value.length}
          isChosen={allChosen.value}
          onChoose={mayOperate.value ? chooseAll : undefined}
        />
      }
      show={(row, at) => (
        <DeviceLine
          row={row}
          at={at}
          isChosen={selected.value.has(row.id)}
          onChoose={mayOperate.value ? () => toggle(row.id) : undefined}
        />
      )}
    />
  );
}

/** Every device; the filter is the address. */
export function Devices() {
  const field = useRef<HTMLInputElement>(null);
  useListKeys(() => field.current?.select());
  useSearchByUrl();
  useEffect(() => steady.follow(), []);
  useEffect(() => keepShown(), [text.value]);
  return (
    <div class={css['split']}>
      <TagTree
        chosen={filter.value.tags[0]}
        onChoose={(tag) => setFilter(withField(text.value, 'tag', tag))}
      />
      <div class="wide">
        <div class={css['head']}>
          <Heading>{say.title}</Heading>
          <span class="mute" role="status">
            {progress.value === 'loading' ? say.soFar(readSoFar.value) : say.counted(found.value.length)}
          </span>
        </div>
        <search class={css['filter']}>
          <input
            ref={field}
            type="search"
            aria-label={say.filter}
            placeholder={say.filterHint}
            value={text.value}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </search>
        {filter.value.unknown.length > 0 && (
          <p class="hint bad">{say.unknownField(filter.value.unknown.join(', '))}</p>
        )}
        <Chips />
        {selected.value.size > 0 && (
          <SelectionBar
            rows={chosenRows.value}
            matching={found.value.length}
            isAll={allChosen.value && chosenRows.value.length === found.value.length}
            filter={text.value}
            onAll={selectAll}
            onClear={clearSelection}
          />
        )}
        <List />
      </div>
    </div>
  );
}
