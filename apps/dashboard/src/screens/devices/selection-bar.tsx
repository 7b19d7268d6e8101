import { useEffect, useState } from 'preact/hooks';
import { type Act, type Operation, type Plan, planOf } from '../../model/many.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { TextField } from '../../parts/text-field.tsx';
import type { DeviceRow } from '../../store/account-state.ts';
import { doMany, haveTag } from '../../store/act-many.ts';
import { go } from '../../store/address.ts';
import { mayWrite } from '../../store/credential.ts';
import { undoMs } from '../../store/undo.ts';
import { texts } from '../../texts/index.ts';
import css from './devices.module.css';

const say = texts.devices;

/** The progress of an action, or its outcome. */
interface Work {
  readonly tried: number;
  readonly of: number;
  readonly said?: string;
  /** The undo of the action. */
  readonly undo?: readonly Operation[];
}

type Doing = Pick<Plan, 'operations' | 'expected' | 'undo' | 'tag'>;

/** Runs operations and tells how far they are. */
function useWork() {
  const [work, setWork] = useState<Work>();
  const undo = work?.undo;
  useEffect(() => {
    if (undo === undefined) return;
    const timer = setTimeout(() => setWork((last) => last && { ...last, undo: [] }), undoMs);
    return () => clearTimeout(timer);
  }, [undo]);
  const run = async ({ operations, expected, undo: back, tag }: Doing) => {
    const of = operations.length;
    setWork({ tried: 0, of });
    try {
      if (tag !== '') await haveTag(tag);
      const { done, refusals } = await doMany(operations, expected, (tried) => setWork({ tried, of }));
      const backOfDone = back.filter((_, at) => done.includes(at));
      setWork({
        tried: of,
        of,
        said: say.done(done.length, refusals.length, refusals[0]?.reason),
        undo: backOfDone,
      });
    } catch (error) {
      setWork({ tried: of, of, said: wordsOf(error) });
    }
  };
  return { work, run };
}

function Progress({ work, onUndo }: { readonly work: Work; readonly onUndo: () => void }) {
  if (work.said === undefined)
    return (
      <progress
        class={css['meter']}
        max={work.of}
        value={work.tried}
        aria-label={say.changing(work.tried, work.of)}
      />
    );
  if (work.undo === undefined || work.undo.length === 0) return null;
  return (
    <button type="button" onClick={onUndo}>
      {say.undo}
    </button>
  );
}

function Acts({ isDisabled, onAct }: { readonly isDisabled: boolean; readonly onAct: (act: Act) => void }) {
  const shown: readonly Act[] = mayWrite.value
    ? ['maintenance', 'pause', 'resume', 'tag', 'remove']
    : ['maintenance'];
  return (
    <>
      {shown.map((act) => (
        <button key={act} type="button" disabled={isDisabled} onClick={() => onAct(act)}>
          {say[act]}
        </button>
      ))}
    </>
  );
}

/** Opens the report of the selected devices. */
function ReportButton({
  rows,
  filter,
}: {
  readonly rows: readonly DeviceRow[];
  readonly filter: string | undefined;
}) {
  const to = reportAddress(
    rows.map(({ id }) => id),
    filter,
  );
  if (to === undefined) return null;
  return (
    <button type="button" onClick={() => go(to)}>
      {say.report}
    </button>
  );
}

/** The actions on all selected devices: first the sentence, then the button with the number in it, then undo. */
export function SelectionBar({
  rows,
  matching,
  isAll,
  filter,
  onAll,
  onClear,
}: {
  readonly rows: readonly DeviceRow[];
  /** How many the filter finds. */
  readonly matching: number;
  readonly isAll: boolean;
  readonly filter: string;
  readonly onAll: () => void;
  readonly onClear: () => void;
}) {
  const [asked, setAsked] = useState<Act>();
  const { work, run } = useWork();
  const isRunning = work !== undefined && work.said === undefined;
  if (rows.length === 0 && work === undefined) return null;
  const words = isRunning
    ? say.changing(work.tried, work.of)
    : (work?.said ?? (isAll ? say.allMatching(rows.length) : say.selected(rows.length)));
  return (
    <>
      <section class={css['selection']} aria-label={say.selection}>
        <b role="status">{words}</b>
        {work !== undefined && (
          <Progress
            work={work}
            onUndo={() => void run({ operations: work.undo ?? [], expected: [], undo: [], tag: '' })}
          />
        )}
        {!isAll && !isRunning && (
          <button type="button" class={css['wording']} onClick={onAll}>
            {say.allMatching(matching)}
          </button>
        )}
        <Acts isDisabled={isRunning || rows.length === 0} onAct={setAsked} />
        <ReportButton rows={rows} filter={isAll ? filter : undefined} />
        <button type="button" class={css['clear']} onClick={onClear}>
          {say.clear} <kbd>Esc</kbd>
        </button>
      </section>
      {asked !== undefined && (
        <Preview
          act={asked}
          rows={rows}
          filter={isAll && filter !== '' ? filter : undefined}
          onRun={(plan) => {
            setAsked(undefined);
            void run(plan);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/** An address names at most this many devices; a filter chooses more. */
const mostNamed = 200;

/**
 * The address of the report of some devices, of which `filter` is the text that chooses exactly these; undefined: none
 * does. Returns undefined where they are too many for an address.
 */
function reportAddress(ids: readonly string[], filter?: string): string | undefined {
  if (filter !== undefined) return filter === '' ? '/reports' : `/reports?q=${encodeURIComponent(filter)}`;
  return ids.length === 0 || ids.length > mostNamed ? undefined : `/reports?devices=${ids.join(',')}`;
}

function TagField({ tag, onTag }: { readonly tag: string; readonly onTag: (tag: string) => void }) {
  return (
    <label>
      <span class="label">{say.tagField}</span>
      <input
        type="text"
        value={tag}
        autofocus
        maxLength={128}
        onInput={({ currentTarget }) => onTag(currentTarget.value)}
      />
    </label>
  );
}

/** From this many devices on, a person types their number before they are deleted. */
const minTyped = 10;

/** Says what will happen, with counts and exceptions; the number is in the button. */
function Preview({
  act,
  rows,
  filter,
  onRun,
  onClose,
}: {
  readonly act: Act;
  readonly rows: readonly DeviceRow[];
  /** The text of the filter where all that match are chosen. */
  readonly filter: string | undefined;
  readonly onRun: (plan: Plan) => void;
  readonly onClose: () => void;
}) {
  const [tag, setTag] = useState('');
  const plan = planOf(act, rows, tag.trim());
  const count = plan.operations.length;
  const [typed, setTyped] = useState('');
  const isTyping = act === 'remove' && count >= minTyped;
  const isReady =
    count > 0 && (act !== 'tag' || plan.tag !== '') && (!isTyping || typed.trim() === String(count));
  const facts: readonly (readonly [string, string])[] = [
    [say.preview.devices, say.preview.of(rows.length, filter)],
    [say.preview.among, say.preview.states(plan.down, plan.inMaintenance)],
    [say.preview.unchanged, plan.unchanged === 0 ? '' : say.preview.same[act](plan.unchanged)],
  ];
  return (
    <Dialog title={say.act[act](count)} onClose={onClose}>
      {act === 'tag' && <TagField tag={tag} onTag={setTag} />}
      <p>{say.ask[act](count)}</p>
      {isTyping && (
        <TextField name={say.typeCount(count)} problem={undefined} value={typed} isFirst onInput={setTyped} />
      )}
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
      <div class={`buttons ${css['choice']}`}>
        <button
          type="button"
          class={act === 'remove' ? 'button bad' : 'button main'}
          disabled={!isReady}
          onClick={() => onRun(plan)}
        >
          {say.act[act](count)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {say.cancel}
        </button>
        {plan.undo.length > 0 && <span class="hint">{say.undoHint}</span>}
      </div>
    </Dialog>
  );
}
