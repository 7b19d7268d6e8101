import { useEffect, useState } from 'preact/hooks';
import { count } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Failure, wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { progress, readFacts } from '../../store/account-state.ts';
import { acknowledge, snooze } from '../../store/act.ts';
import { go } from '../../store/address.ts';
import { type Alert, alertCounts, alerts, isSuppressed } from '../../store/alerts.ts';
import { api, take } from '../../store/api.ts';
import { mayOperate } from '../../store/credential.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { texts } from '../../texts/index.ts';
import { Choice } from '../device/choice.tsx';
import { AlertLine } from './alert-line.tsx';
import { AlertStory } from './alert-story.tsx';
import css from './alerts.module.css';

const say = texts.alerts;
type View = 'open' | 'snoozed' | 'closed';

const selected = accountSignal<ReadonlySet<string>>(new Set());

function toggle(id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

/** Alerts under one title. `total`: how many there are, of which `list` has the newest. */
interface AlertGroup {
  readonly title: string;
  readonly list: readonly Alert[];
  readonly total: number;
}

/** Nobody reads more lines, and all of them together can be acknowledged by one request. */
const maxLines = 250;

function groupOf(title: string, all: readonly Alert[], total = all.length): AlertGroup {
  return { title, list: all.slice(0, maxLines), total };
}

/**
 * The groups in which open alerts stand: what nobody has comes first, what is suppressed stays with the others of its
 * group.
 */
function groupsOf(open: readonly Alert[]): readonly AlertGroup[] {
  const isMore = ({ Kind }: Alert) => /^(certificate|late|device\.slow)/.test(Kind);
  const others = open.filter((alert) => !isMore(alert));
  const free = others.filter(({ State }) => State === 'Open');
  return [
    groupOf(
      say.nobody,
      free.filter((alert) => !isSuppressed(alert)),
    ),
    groupOf(say.suppressed, free.filter(isSuppressed), alertCounts.value.suppressed),
    groupOf(
      say.acknowledged,
      others.filter(({ State }) => State === 'Acknowledged'),
    ),
    groupOf(say.information, open.filter(isMore)),
  ];
}

function Group({
  title,
  list,
  total,
  chosen,
}: AlertGroup & {
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
      {total > list.length && <p class="hint">{texts.overview.more(total - list.length)}</p>}
    </section>
  );
}

/** Why there is nothing in the list. */
function Nothing({ view }: { readonly view: View }) {
  const { value: state } = progress;
  if (typeof state === 'object') return <Failure problem={state.problem} retry={() => void readFacts()} />;
  return (
    <p class={css['quiet']}>
      {state === 'loading' ? texts.loading : view === 'open' ? say.quiet : say.noSnoozed}
    </p>
  );
}

function Closed({ chosen }: { readonly chosen: string }) {
  const query = { State: ['Closed' as const], Limit: 50 };
  // An alert that closes leaves the open ones.
  const all = useRead(() => take(api.GET('/alerts', { params: { query } })), [], [alerts.value.length]);
  const { data } = all;
  return (
    <>
      <ReadState read={all} />
      {data?.length === 0 && <p class={css['quiet']}>{say.noClosed}</p>}
      {data !== undefined && (
        <Group title={say.views.closed} list={data} total={data.length} chosen={chosen} />
      )}
    </>
  );
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
  const groups = view === 'snoozed' ? [groupOf(say.views.snoozed, snoozed)] : groupsOf(open);
  const shown = groups.flatMap(({ list }) => list);
  useListKeys(view === 'closed' ? [] : shown, id);
  useEffect(() => {
    const there = new Set(alerts.value.map(({ alert_id }) => alert_id));
    const still = [...selected.value].filter((each) => there.has(each));
    if (still.length !== selected.value.size) selected.value = new Set(still);
  }, [alerts.value]);
  return (
    <div class={`${css['split']} ${id === '' ? css['onlyList'] : ''}`}>
      <div class={css['list']}>
        <div class={css['head']}>
          <Heading>
            {progress.value === 'ready' ? say.title(alertCounts.value.open) : texts.screens.alerts}
          </Heading>
          <Choice
            names={['open', 'snoozed', 'closed']}
            words={{ ...say.views, snoozed: `${say.views.snoozed} ${count(alertCounts.value.snoozed)}` }}
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
        {view !== 'closed' && shown.length === 0 && <Nothing view={view} />}
        {view !== 'closed' && groups.map((group) => <Group key={group.title} {...group} chosen={id} />)}
      </div>
      <div class={css['story']}>
        {id === '' ? (
          (view === 'closed' || shown.length > 0) && <p class="mute">{say.choose}</p>
        ) : (
          <AlertStory key={id} id={id} />
        )}
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
