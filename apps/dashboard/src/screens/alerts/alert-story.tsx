import { foldAttempts, type StoryPart, storyOf } from '../../model/alert-story.ts';
import { iconOf, predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { Icon } from '../../parts/icon.tsx';
import story from '../../parts/message-row.module.css';
import { MessageRow, RepeatedAttempts } from '../../parts/message-row.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { type Alert, alerts } from '../../store/alerts.ts';
import { minute } from '../../store/clock.ts';
import { causes } from '../../store/overview-facts.ts';
import { type AlertStoryFacts, readStory } from '../../store/read-story.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { AlertActions } from './alert-actions.tsx';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';
import { BehindList } from './behind-list.tsx';
import { StoryExport } from './story-export.tsx';
import { storyText, wordsOfLine } from './story-words.ts';

/** Repeats may be planned for days; the first ones tell what follows. */
const maxPlanned = 3;

/** A text that changes with each change of an alert in the list. The story is then read again. */
const changesOf = (listed: Alert | undefined) =>
  [
    listed?.State,
    ...(listed?.Notifications ?? []).map(({ State, Attempts }) => `${State}${Attempts.length}`),
  ].join();

function StoryRow({ facts, line }: { readonly facts: AlertStoryFacts; readonly line: StoryPart }) {
  if (line.what === 'message') return <MessageRow line={line} />;
  if (line.what === 'attempts') return <RepeatedAttempts lines={line.lines} />;
  const { icon, who, words, detail } = wordsOfLine(line, facts);
  return (
    <li class={story['line']}>
      <Moment at={line.at} />
      <Icon name={icon} />
      <span>
        {who !== undefined && (
          <>
            <b>
              <bdi>{who}</bdi>
            </b>
            {', '}
          </>
        )}
        {words}
        {detail !== undefined && (
          <span class={story['answer']}>
            <bdi>{detail}</bdi>
          </span>
        )}
      </span>
    </li>
  );
}

/** Links to what the alert is about. */
function AlertLinks({ alert: { device_id, contact_id, location_id } }: { readonly alert: Alert }) {
  const links = [
    ...(device_id === null
      ? []
      : [
          [`/devices/${device_id}`, say.openDevice] as const,
          [`/outages?device=${device_id}&span=90`, say.outages] as const,
        ]),
    ...(contact_id === null ? [] : [[`/schedules/contacts/${contact_id}`, say.openContact] as const]),
    ...(device_id === null && location_id !== null ? [['/locations', say.openLocation] as const] : []),
  ];
  return (
    <p class={css['to']}>
      {links.map(([href, words]) => (
        <a key={href} class="link" href={href}>
          {words}
        </a>
      ))}
    </p>
  );
}

function AlertHistory({ facts }: { readonly facts: AlertStoryFacts }) {
  const { alert, events, isCut, planned, schedule } = facts;
  const lines = storyOf(alert, events, planned.slice(0, maxPlanned));
  const morePlanned = planned.length - maxPlanned;
  const behind = causes.value.find(({ row }) => row.id === alert.device_id)?.behind ?? [];
  const text = () =>
    storyText(
      facts,
      lines,
      behind.map(({ name }) => name),
    );
  return (
    <div class={css['parts']}>
      <section class="section" aria-labelledby="story">
        <h2 id="story">{say.story}</h2>
        {isCut && (
          <p class="hint">
            <a class="link" href={`/events?device=${alert.device_id ?? ''}`}>
              {say.cutEvents}
            </a>
          </p>
        )}
        <ol>
          {foldAttempts(lines).map((line, at) => (
            <StoryRow key={at} facts={facts} line={line} />
          ))}
          {alert.Notifications.length === 0 && planned.length === 0 && (
            <li class={css['none']}>{(alert.device_id === null ? null : alert.Reason) ?? say.noMessage}</li>
          )}
        </ol>
        {morePlanned > 0 && schedule !== undefined && (
          <p class="hint">
            <a class="link" href={`/schedules/${schedule.nschedule_id}`}>
              {say.morePlanned(morePlanned)}
            </a>
          </p>
        )}
        {alert.State === 'Acknowledged' && <p class="hint">{say.noneFollow}</p>}
      </section>
      <div>
        {behind.length > 0 && alert.Kind === 'device.down' && (
          <section class="section">
            <h2>{say.behindTitle(behind.length)}</h2>
            <BehindList behind={behind} />
          </section>
        )}
        <section class="section">
          <h2>{say.export.title}</h2>
          <StoryExport text={text} name={`alert-${alert.alert_id.slice(0, 8)}.txt`} />
        </section>
      </div>
    </div>
  );
}

/** An alert with its history and actions. */
export function AlertStory({ id }: { readonly id: string }) {
  const listed = alerts.value.find(({ alert_id }) => alert_id === id);
  const found = useRead(() => readStory(id), [id], [changesOf(listed), minute.value]);
  const { data: facts, again } = found;
  if (facts === undefined) return <ReadState read={found} />;
  // The list knows the effect of a running change first.
  const alert = listed === undefined ? facts.alert : { ...facts.alert, State: listed.State };
  return (
    <article>
      <ReadState read={found} />
      <h2 class={css['title']} title={`${subjectOf(alert)} ${predicateOf(alert)}`}>
        <bdi class="clampName">{subjectOf(alert)}</bdi> {predicateOf(alert)}
      </h2>
      <p class={css['say']}>
        <Icon name={iconOf(alert)} />
        <span>
          {alert.CheckResult}
          {alert.Closed === null && (
            // The age stands last: it grows, and moves nothing.
            <span class="mute">
              {alert.CheckResult !== null && ' · '}
              {deviceWords.for} <Since at={alert.Since} />
            </span>
          )}
        </span>
      </p>
      {alert.SnoozedUntil !== null && alert.State === 'Snoozed' && (
        <p class="mute">
          {say.snoozedUntil} <Moment at={alert.SnoozedUntil} />
        </p>
      )}
      <AlertActions key={alert.State} alert={alert} again={again} />
      <AlertLinks alert={alert} />
      <AlertHistory facts={facts} />
    </article>
  );
}
