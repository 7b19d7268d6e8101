import { useRef } from 'preact/hooks';
import { chipsOf, withField } from '../../model/filter-text.ts';
import { count } from '../../model/format.ts';
import { type DeviceState, states } from '../../model/state.ts';
import { Icon } from '../../parts/icon.tsx';
import { useRoving } from '../../parts/roving.ts';
import { counts } from '../../store/account-state.ts';
import { mayWrite } from '../../store/credential.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { ColumnChooser } from './column-chooser.tsx';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { ExportMenu } from './export-menu.tsx';
import { filter, setFilter, text } from './list-state.ts';
import { ViewMenu } from './view-menu.tsx';

const isStateChip = (part: string) => states.some((state) => part === `status:${state.toLowerCase()}`);

/** A state with its count, as a filter. */
function StateChip({ state }: { readonly state: DeviceState }) {
  const word = state.toLowerCase();
  const isOn = text.value.split(' ').includes(`status:${word}`);
  const next = withField(text.value, 'status', isOn ? undefined : word);
  return (
    <button type="button" class={css['chip']} aria-pressed={isOn} onClick={() => setFilter(next)}>
      <Icon name={state} />
      {deviceWords.states[state]} {count(counts.value[state])}
    </button>
  );
}

/** The parts of the filter in words. Each can be taken away. */
function PartChips() {
  return (
    <>
      {chipsOf(text.value)
        .filter(({ part }) => !isStateChip(part))
        .map(({ part, without }) => (
          <button
            key={part}
            type="button"
            class={css['chip']}
            aria-label={say.without(part)}
            title={say.without(part)}
            onClick={() => setFilter(without)}
          >
            {say.part(part)} <span aria-hidden="true">×</span>
          </button>
        ))}
    </>
  );
}

/** The states as filters, the parts of the filter, and what can be done with the list. One Tab stop. */
export function ListToolbar() {
  const bar = useRef<HTMLDivElement>(null);
  useRoving(bar, 'row');
  const isShown = (state: DeviceState) =>
    state !== 'Up' &&
    (counts.value[state] > 0 ||
      filter.value.clauses
        .flat()
        .some(({ field, values }) => field === 'status' && values.includes(state.toLowerCase())));
  return (
    <div ref={bar} role="toolbar" aria-label={say.toolbar} class={css['chips']}>
      <div class={css['chipList']}>
        {states.filter(isShown).map((state) => (
          <StateChip key={state} state={state} />
        ))}
        <PartChips />
      </div>
      <div class={css['tools']}>
        <ViewMenu />
        <ColumnChooser />
        <ExportMenu />
        {mayWrite.value && (
          <a class="button" href="/devices/new">
            {deviceWords.add} <kbd>c</kbd>
          </a>
        )}
      </div>
    </div>
  );
}
