import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { gridOf } from '../../model/list-columns.ts';
import { DeviceKeys } from '../../parts/device-keys.tsx';
import { Heading } from '../../parts/heading.tsx';
import { FailureNotice, WaitingRows } from '../../parts/notice.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { RowList } from '../../parts/row-list.tsx';
import { arePartsMissing, early, progress, readFacts, rows } from '../../store/account-state.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { figuresFailed } from '../../store/device-figures.ts';
import { settingsProblem, useDeviceSettings } from '../../store/device-settings.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { DeviceLine, LineHead } from './device-line.tsx';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { FilterField } from './filter-field.tsx';
import { useListKeys } from './list-keys.ts';
import {
  active,
  allChosen,
  areSettingsNeeded,
  chosenOutside,
  chosenRows,
  chosenTag,
  clearSelection,
  deselectHidden,
  found,
  isWaitingForSettings,
  selectAll,
  selected,
  setFilter,
  setTag,
  shownColumns,
  steady,
  text,
  toggle,
  useSearchByUrl,
} from './list-state.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { TagTree } from './tag-tree.tsx';

function NoDevices() {
  if (progress.value === 'loading')
    return (
      <p class={css['nothing']} role="status">
        {deviceWords.stillLoading}
      </p>
    );
  const isEmpty = rows.value.length === 0;
  return (
    <div class={css['nothing']}>
      <p>{isEmpty ? deviceWords.empty : say.none}</p>
      {isEmpty && mayWrite.value && (
        <a class="button main" href="/devices/new">
          {deviceWords.add}
        </a>
      )}
      {!isEmpty && (
        <button type="button" class="button" onClick={() => setFilter('', { replace: false })}>
          {say.wider}
        </button>
      )}
    </div>
  );
}

const tall = '(max-width: 820px)';
const rowHeight = () => (matchMedia(tall).matches ? 64 : 32);

function DeviceList() {
  const list = useRef<HTMLDivElement>(null);
  const grid = gridOf(shownColumns.value);
  useLayoutEffect(() => list.current?.style.setProperty('--grid', grid));
  const chooseAll = allChosen.value ? clearSelection : selectAll;
  if (isWaitingForSettings.value && settingsProblem.value !== undefined)
    return <p class="hint bad">{problemWords(settingsProblem.value)}</p>;
  const isReading = progress.value === 'loading' && rows.value.length === 0;
  if ((isReading && steady.rows.value.length === 0) || isWaitingForSettings.value)
    return (
      <div class={css['waiting']}>
        <WaitingRows rows={16} />
      </div>
    );
  if (typeof progress.value === 'object' && rows.value.length === 0)
    return <FailureNotice problem={progress.value.problem} retry={() => void readFacts()} />;
  if (steady.rows.value.length === 0) return <NoDevices />;
  return (
    <div ref={list}>
      <RowList
        rows={steady.rows.value}
        heightOf={rowHeight}
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
            onChoose={mayOperate.value ? toggle : undefined}
          />
        )}
      />
    </div>
  );
}

/** The number of listed devices; while they are read, the counts of the server. */
function ListCount() {
  const read = early.value;
  const listed = arePartsMissing.value
    ? say.readingParts(found.value.length)
    : say.counted(found.value.length);
  const words = read === undefined ? listed : say.readingRest(read.total, read.down);
  return (
    <span class="mute" role="status">
      {progress.value === 'loading' && read === undefined && rows.value.length === 0 ? '' : words}
    </span>
  );
}

/** The effects of each letter of the filter, apart from the screen, which is not rendered for it. */
function FilterEffects() {
  useSearchByUrl();
  useEffect(() => deselectHidden(), [text.value]);
  return null;
}

/** The devices that match the filter in the address. */
export function DevicesScreen() {
  const field = useRef<HTMLInputElement>(null);
  useListKeys(() => field.current?.select());
  useDeviceSettings(areSettingsNeeded.value);
  useEffect(() => steady.follow(), []);
  const reads = settingsProblem.value !== undefined && !isWaitingForSettings.value;
  return (
    <div class={css['split']}>
      <TagTree chosen={chosenTag.value} onChoose={setTag} />
      <div class="wide">
        <div class={css['head']}>
          <Heading>{say.title}</Heading>
          <ListCount />
        </div>
        <FilterField field={field} />
        <FilterEffects />
        <ListToolbar />
        {(reads || figuresFailed.value) && <p class="hint bad">{say.columnsFailed}</p>}
        {selected.value.size > 0 && (
          <SelectionBar
            rows={chosenRows.value}
            outside={chosenOutside.value}
            matching={found.value.length}
            isAll={allChosen.value && chosenRows.value.length === found.value.length}
            filter={text.value}
            onAll={selectAll}
            onClear={clearSelection}
          />
        )}
        <DeviceList />
        <DeviceKeys target={() => active.value} />
      </div>
    </div>
  );
}
