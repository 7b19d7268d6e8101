import { useRef, useState } from 'preact/hooks';
import { type StoryLine, storyOf } from '../../model/alert-story.ts';
import { markOf, subjectOf } from '../../parts/alert-subject.ts';
import { useKeys } from '../../parts/keys.ts';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { acknowledge, snooze } from '../../store/act.ts';
import { type Alert, alerts } from '../../store/alerts.ts';
import { api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import story from '../device/story.module.css';
import { MessageRow } from '../device/story.tsx';
import css from './alerts.module.css';

const say = texts.alerts;

function readAlert(alert_id: string) {
  return take(api.GET('/alerts/{alert_id}', { params: { path: { alert_id } } }));
}

/** Another text after each change of an alert that the list tells: its story is read again then. */
const changesOf = (listed: Alert | undefined) =>
  [
    listed?.State,
    ...(listed?.Notifications ?? []).map(({ State, Attempts }) => `${State}${Attempts.length}`),
  ].join();

function Acts({ alert, again }: { readonly alert: Alert; readonly again: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<unknown>) => {
    work.then(again, (error: unknown) => setProblem(wordsOf(error)));
  };
  const ids = [alert.alert_id];
  const take = () => run(acknowledge(ids, field.current?.value.trim() ?? ''));
  const isOver = alert.State === 'Closed' || !mayOperate.value;
  useKeys(isOver ? {} : { e: take, s: () => run(snooze(ids, '01:00')) });
  if (isOver) return null;
  return (
    <form
      class={css['acts']}
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <label>
        <span class="label">{say.note}</span>
        <input ref={field} type="text" maxLength={500} placeholder={say.notePlaceholder} autocomplete="off" />
      </label>
      <div class="buttons">
        <button type="submit" class="button main">
          {say.acknowledge} <kbd>e</kbd>
        </button>
        <button type="button" class="button" onClick={() => run(snooze(ids, '01:00'))}>
          {say.snooze} <kbd>s</kbd>
        </button>
        <button type="button" class="button" onClick={() => run(snooze(ids, '08:00'))}>
          {say.snoozeLong}
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

function Line({ alert, line }: { readonly alert: Alert; readonly line: StoryLine }) {
  switch (line.what) {
    case 'message':
      return <MessageRow line={line} />;
    case 'opened':
      return (
        <li class={story['line']}>
          <Moment at={line.at} />
          <Mark name={markOf(alert)} />
          <span>
            {say.opened}
            {alert.Location !== null && ` · ${alert.Location}`} · {say.severity[alert.Severity]}
            {alert.Reason !== null && <span class={css['reason']}>{alert.Reason}</span>}
          </span>
        </li>
      );
    case 'acknowledged':
      return (
        <li class={story['line']}>
          <Moment at={line.at} />
          <Mark name="Delivered" />
          <span>
            {texts.overview.acknowledgedBy(alert.Acknowledged?.By ?? '', alert.Acknowledged?.Note ?? null)}
          </span>
        </li>
      );
    case 'closed':
      return (
        <li class={story['line']}>
          <Moment at={line.at} />
          <Mark name="Up" />
          <span>{say.closedAt}</span>
        </li>
      );
  }
}

function Told({ alert }: { readonly alert: Alert }) {
  return (
    <section class="section" aria-labelledby="story">
      <h2 id="story">{say.story}</h2>
      <ol>
        {storyOf(alert).map((line, at) => (
          <Line key={at} alert={alert} line={line} />
        ))}
        {alert.Notifications.length === 0 && <li class={css['none']}>{say.noMessage}</li>}
      </ol>
    </section>
  );
}

/** The history of an alert, with its actions. */
export function AlertStory({ id }: { readonly id: string }) {
  const listed = alerts.value.find(({ alert_id }) => alert_id === id);
  const found = useRead(() => readAlert(id), [id], [changesOf(listed), minute.value]);
  const { data: alert, again } = found;
  if (alert === undefined) return <ReadState read={found} />;
  return (
    <article>
      <ReadState read={found} />
      <h2 class={css['title']} title={`${subjectOf(alert)} ${say.kinds[alert.Kind]}`}>
        <bdi class="clampName">{subjectOf(alert)}</bdi> {say.kinds[alert.Kind]}
      </h2>
      <p class={css['say']}>
        <Mark name={markOf(alert)} />
        <span>
          {alert.Closed === null && (
            <>
              {texts.device.for('').trim()} <Since at={alert.Since} />
              {alert.CheckResult !== null && ': '}
            </>
          )}
          {alert.CheckResult}
        </span>
      </p>
      {alert.SnoozedUntil !== null && alert.State === 'Snoozed' && (
        <p class="mute">
          {say.snoozedUntil('').trim()} <Moment at={alert.SnoozedUntil} />
        </p>
      )}
      <Acts alert={alert} again={again} />
      {alert.device_id !== null && (
        <p class={css['to']}>
          <a class="link" href={`/devices/${alert.device_id}`}>
            {say.openDevice}
          </a>
        </p>
      )}
      <Told alert={alert} />
    </article>
  );
}
