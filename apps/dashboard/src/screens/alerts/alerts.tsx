import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Failure, Waiting, wordsOf } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { type Alert, alerts, isSuppressed, progress } from '../../store/account-state.ts';
import { acknowledge, snooze } from '../../store/act.ts';
import { go } from '../../store/address.ts';
import { api, take } from '../../store/api.ts';
import { mayOperate } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from '../device/choice.tsx';
import { AlertLine } from './alert-line.tsx';
import { AlertStory } from './alert-story.tsx';
import css from './alerts.module.css';

const say = texts.alerts;
type View = 'open' | 'snoozed' | 'closed';

const selected = signal<ReadonlySet<string>>(new Set());

function toggle(id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

/**
 * The groups in which open alerts stand: what nobody has comes first, what is suppressed stays with the others of its
 * group.
 */
function groupsOf(open: readonly Alert[]): readonly (readonly [string, readonly Alert[]])[] {
  const isMore = ({ Kind }: Alert) => /^(certificate|late|device\.slow)/.test(Kind);
  return [
    [say.nobody, open.filter((alert) => alert.State === 'Open' && !isSuppressed(alert) && !isMore(alert))],
    [say.suppressed, open.filter((alert) => alert.State === 'Open' && isSuppressed(alert) && !isMore(alert))],
    [say.acknowledged, open.filter((alert) => alert.State === 'Acknowledged' && !isMore(alert))],
    [say.information, open.filter(isMore)],
  ];
}

function Group({
  title,
  list,
  chosen,
}: {
  readonly title: string;
  readonly list: readonly Alert[];
  readonly chosen: string;
}) {
  if (list.length === 0) return null;
  return (
    <section class={css['group']}>
      <h2>{title}</h2>
      <ul>
        {list.map((alert) => (
          <AlertLine
            key={alert.alert_id}
            alert={alert}
            isOpen={alert.alert_id === chosen}
            isChosen={selected.value.has(alert.alert_id)}
            onChoose={mayOperate.value && alert.State !== 'Closed' ? () => toggle(alert.alert_id) : undefined}
          />
        ))}
      </ul>
    </section>
  );
}

function Closed({ chosen }: { readonly chosen: string }) {
  const query = { State: 'Closed', Limit: 50 } as const;
  const { data, problem, again } = useRead(() => take(api.GET('/alerts', { params: { query } })), []);
  if (data === undefined)
    return problem === undefined ? <Waiting /> : <Failure problem={problem} retry={again} />;
  if (data.length === 0) return <p class={css['quiet']}>{say.noClosed}</p>;
  return <Group title={say.views.closed} list={data} chosen={chosen} />;
}

function useListKeys(shown: readonly Alert[], chosen: string): void {
  const move = (by: number) => {
    const at = shown.findIndex(({ alert_id }) => alert_id === chosen);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
    if (next !== undefined) go(`/alerts/${next.alert_id}`, { replace: true });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => chosen !== '' && toggle(chosen),
    'Ctrl+a': () => {
      selected.value = new Set(shown.map(({ alert_id }) => alert_id));
    },
    Escape: () => {
      if (selected.value.size > 0) selected.value = new Set();
      else go('/alerts');
    },
  });
}

/** The open alerts by cause, with the history of the chosen one beside them. */
export function Alerts({ id }: ScreenProps) {
  const [view, setView] = useState<View>('open');
  const snoozed = alerts.value.filter(({ State }) => State === 'Snoozed');
  const open = alerts.value.filter(({ State }) => State !== 'Snoozed');
  const groups = view === 'snoozed' ? [[say.views.snoozed, snoozed] as const] : groupsOf(open);
  const shown = groups.flatMap(([, list]) => list);
  useListKeys(view === 'closed' ? [] : shown, id);
  useEffect(() => {
    const there = new Set(alerts.value.map(({ alert_id }) => alert_id));
    const still = [...selected.value].filter((each) => there.has(each));
    if (still.length !== selected.value.size) selected.value = new Set(still);
  }, [alerts.value]);
  const wanting = open.filter((alert) => alert.State === 'Open' && !isSuppressed(alert)).length;
  return (
    <div class={`${css['split']} ${id === '' ? css['onlyList'] : ''}`}>
      <div class={css['list']}>
        <div class={css['head']}>
          <Heading>{say.title(wanting)}</Heading>
          <Choice
            names={['open', 'snoozed', 'closed']}
            words={{ ...say.views, snoozed: `${say.views.snoozed} ${snoozed.length}` }}
            chosen={view}
            onChoose={setView}
          />
        </div>
        {selected.value.size > 0 && (
          <ManyBar
            ids={[...selected.value]}
            onDone={() => {
              selected.value = new Set();
            }}
          />
        )}
        {view === 'closed' && <Closed chosen={id} />}
        {view !== 'closed' && shown.length === 0 && (
          <p class={css['quiet']}>
            {progress.value === 'loading' ? texts.loading : view === 'open' ? say.quiet : say.noSnoozed}
          </p>
        )}
        {view !== 'closed' &&
          groups.map(([title, list]) => <Group key={title} title={title} list={list} chosen={id} />)}
      </div>
      <div class={css['story']}>
        {id === '' ? <p class="mute">{say.choose}</p> : <AlertStory key={id} id={id} />}
      </div>
    </div>
  );
}

/** Acknowledges or snoozes all selected alerts with one note. */
function ManyBar({ ids, onDone }: { readonly ids: readonly string[]; readonly onDone: () => void }) {
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<unknown>) => {
    work.then(onDone, (error: unknown) => setProblem(wordsOf(error)));
  };
  return (
    <form
      class={css['many']}
      onSubmit={(event) => {
        event.preventDefault();
        run(acknowledge(ids, note.trim()));
      }}
    >
      <label>
        <span class="label">{say.note}</span>
        <input
          type="text"
          value={note}
          maxLength={500}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="button main">
          {say.acknowledgeMany(ids.length)}
        </button>
        <button type="button" class="button" onClick={() => run(snooze(ids, '01:00'))}>
          {say.snooze}
        </button>
        <button type="button" class="button" onClick={onDone}>
          {texts.devices.clear}
        </button>
      </div>
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
