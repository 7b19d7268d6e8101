import { useEffect, useState } from 'preact/hooks';
import {
  type BulkChange,
  canUndo,
  isEmptyChange,
  isPlanned,
  loadOf,
  type StoredSettings,
  sourcesOf,
} from '../../model/bulk-change.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { rows as allRows, type DeviceListRow, devices } from '../../store/account-state.ts';
import { type PreviewedChange, previewChange } from '../../store/bulk-change.ts';
import { deviceSettings, readSettings } from '../../store/device-settings.ts';
import { formTexts } from '../../texts/form-texts.ts';
import { bulkTexts as say } from './bulk-texts.ts';
import { type ChangeKind, changeOf, type DraftedChange, emptyDraft } from './change-draft.ts';
import { MaintenanceFields, SettingsFields, TagFields } from './change-fields.tsx';
import css from './devices.module.css';

/** From this number of devices on, their number must be typed before they are deleted. */
const minTyped = 10;
/** The preview is read a moment after the last change of a field. */
const previewMs = 300;
const maxNamed = 5;

/** A change that the person confirmed. */
export interface ConfirmedChange {
  readonly ids: readonly string[];
  readonly change: BulkChange;
  readonly previewed: PreviewedChange;
}

/** The preview of the API; undefined: it is being read, or the draft changes nothing yet. */
function usePreview(ids: readonly string[], { change, problems }: DraftedChange) {
  const [state, setState] = useState<{ previewed?: PreviewedChange; problem?: unknown }>({});
  const isReady = !isEmptyChange(change) && Object.keys(problems).length === 0 && ids.length > 0;
  const key = JSON.stringify(change);
  useEffect(() => {
    setState({});
    if (!isReady) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      previewChange(ids, change).then(
        (previewed) => isCurrent && setState({ previewed }),
        (problem: unknown) => isCurrent && setState({ problem }),
      );
    }, previewMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isReady, ids]);
  return state;
}

/** Devices that the API refuses, by name. */
function RefusedRows({ refused }: Pick<PreviewedChange, 'refused'>) {
  const named = refused
    .slice(0, maxNamed)
    .map(({ id, reason }) => say.refusedRow(devices.value.get(id)?.name ?? id, reason));
  const more = refused.length - named.length;
  return <>{[...named, ...(more > 0 ? [say.more(more)] : [])].join(' ')}</>;
}

const settingsOfAll = () => (deviceSettings.value ?? new Map()) as ReadonlyMap<string, StoredSettings>;

/** The effect of the change, with counts and exceptions. */
function ChangeFacts({
  rows,
  change,
  previewed,
  filter,
}: {
  readonly rows: readonly DeviceListRow[];
  readonly change: BulkChange;
  readonly previewed: PreviewedChange;
  readonly filter: string | undefined;
}) {
  const { matched, changed, refused, newTags } = previewed;
  const inState = (state: DeviceListRow['state']) => rows.filter((row) => row.state === state).length;
  const { Set: set } = change;
  const isLoad =
    set?.Frequency !== undefined || set?.FrequencySeconds !== undefined || set?.Enabled !== undefined;
  const load = isLoad
    ? loadOf(
        rows.map(({ id }) => id),
        set,
        settingsOfAll(),
      )
    : undefined;
  const facts = [
    [say.facts.devices, say.facts.chosen(rows.length, filter)],
    [say.facts.now, say.facts.states(inState('Down'), inState('Maint'))],
    [say.facts.load, load === undefined ? '' : say.facts.checks(load.before, load.after)],
    [say.facts.tags, newTags.length === 0 ? '' : say.facts.newTags(newTags)],
    [say.facts.unchanged, say.facts.same(matched - changed - refused.length)],
    [say.facts.gone, say.facts.deleted(rows.length - matched)],
    [say.facts.refused, refused.length === 0 ? '' : <RefusedRows key="refused" refused={refused} />],
  ] as const;
  return (
    <dl class={css['preview']}>
      {facts
        .filter(([, words]) => words !== '')
        .map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Devices of a file, whose next apply undoes the change. They are left out unless the person wants them too. */
function SourceChoice({
  sources,
  isWith,
  onChoose,
}: {
  readonly sources: ReadonlyMap<string, readonly string[]>;
  readonly isWith: boolean;
  readonly onChoose: (isWith: boolean) => void;
}) {
  const count = [...sources.values()].reduce((sum, ids) => sum + ids.length, 0);
  if (count === 0) return null;
  return (
    <label class={css['sourceChoice']}>
      <input type="checkbox" checked={isWith} onChange={() => onChoose(!isWith)} />{' '}
      {say.sources(count, [...sources.keys()])}
    </label>
  );
}

/** Reads the settings, which the undo restores. */
function useSettingsBefore(): { readonly isRead: boolean; readonly problem: unknown } {
  const [state, setState] = useState<{ isRead: boolean; problem: unknown }>({
    isRead: false,
    problem: undefined,
  });
  useEffect(() => {
    readSettings().then(
      () => setState({ isRead: true, problem: undefined }),
      (problem: unknown) => setState({ isRead: false, problem }),
    );
  }, []);
  return state;
}

const idOfMaster = (name: string) => {
  const word = name.toLowerCase();
  const matching = allRows.value.filter(
    ({ name: full, shortName }) => shortName.toLowerCase() === word || full.toLowerCase() === word,
  );
  return matching.length === 1 ? matching[0]?.id : undefined;
};

function undoWords(change: BulkChange): string {
  if (isPlanned(change)) return say.plannedHint;
  return canUndo(change) ? say.undoHint : say.noUndo;
}

const fieldsOf = { maintenance: MaintenanceFields, tags: TagFields, settings: SettingsFields } as const;

/** Asks what is changed, shows what the API would do, and asks for the number before many devices are deleted. */
export function ChangeDialog({
  kind,
  rows,
  filter,
  onRun,
  onClose,
}: {
  readonly kind: ChangeKind;
  readonly rows: readonly DeviceListRow[];
  /** The text of the filter, if all devices that match it are chosen. */
  readonly filter: string | undefined;
  readonly onRun: (change: ConfirmedChange) => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(emptyDraft);
  const [typed, setTyped] = useState('');
  const [isWithSources, setWithSources] = useState(false);
  // The selection as it was when the dialog opened: what is confirmed is what was shown.
  const [chosen] = useState(rows);
  const before = useSettingsBefore();
  const ids = chosen.map(({ id }) => id);
  const sources = kind === 'maintenance' ? new Map<string, string[]>() : sourcesOf(ids, settingsOfAll());
  const leftOut = new Set(isWithSources ? [] : [...sources.values()].flat());
  const [meantIds, setMeantIds] = useState<readonly string[]>([]);
  useEffect(() => {
    if (before.isRead) setMeantIds(ids.filter((id) => !leftOut.has(id)));
  }, [before.isRead, isWithSources]);
  const drafted = changeOf(kind, draft, idOfMaster);
  const { previewed, problem } = usePreview(meantIds, drafted);
  const changed = previewed?.changed ?? 0;
  const isTyping = kind === 'remove' && changed >= minTyped;
  const isReady = changed > 0 && (!isTyping || typed.trim() === String(changed));
  const Fields =
    kind === 'maintenance' || kind === 'tags' || kind === 'settings' ? fieldsOf[kind] : undefined;
  const failed = problem ?? before.problem;
  const run = () => {
    if (previewed !== undefined) onRun({ ids: meantIds, change: drafted.change, previewed });
  };
  return (
    <Dialog title={say.title[kind](chosen.length)} onClose={onClose} isWide={kind === 'settings'}>
      {Fields !== undefined && (
        <Fields
          draft={draft}
          problems={drafted.problems}
          set={(change) => setDraft((last) => ({ ...last, ...change }))}
        />
      )}
      {say.ask[kind] !== '' && <p>{say.ask[kind]}</p>}
      <SourceChoice sources={sources} isWith={isWithSources} onChoose={setWithSources} />
      {previewed !== undefined && (
        <ChangeFacts
          rows={chosen.filter(({ id }) => meantIds.includes(id))}
          change={drafted.change}
          previewed={previewed}
          filter={filter}
        />
      )}
      {isTyping && (
        <LineField
          name={say.typeCount(changed)}
          problem={undefined}
          value={typed}
          isFirst
          onInput={setTyped}
        />
      )}
      <FormRefusal words={failed === undefined ? undefined : problemWords(failed)} />
      <div class={`buttons ${css['choice']}`}>
        <button
          type="button"
          class={kind === 'remove' ? 'button bad' : 'button main'}
          disabled={!isReady}
          onClick={run}
        >
          {say.act[kind](changed, draft.isEnd ? 'end' : isPlanned(drafted.change) ? 'plan' : 'start')}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {formTexts.cancel}
        </button>
        <span class="hint">{undoWords(drafted.change)}</span>
      </div>
    </Dialog>
  );
}
