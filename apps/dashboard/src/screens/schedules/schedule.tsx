import { useState } from 'preact/hooks';
import { weekdays, weekMinuteOf, weekMinutes, weekSpans } from '../../model/week-hours.ts';
import { wallTime } from '../../model/zoned.ts';
import { Heading } from '../../parts/heading.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { serverNow } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { readContacts, readScheduleUsers } from '../../store/plan.ts';
import { texts } from '../../texts/index.ts';
import { planTexts } from '../../texts/plan.ts';
import { scheduleTexts } from '../../texts/schedules.ts';
import { Choice } from '../device/choice.tsx';
import { Answer, useAnswer } from './answer.tsx';
import {
  draftOf,
  hoursText,
  newStep,
  type Opened,
  type ScheduleDraft,
  type Severity,
  severities,
  stepsOf,
} from './draft.ts';
import { Form, useForm } from './form.tsx';
import css from './schedules.module.css';
import { stepWords } from './step-words.ts';

const say = scheduleTexts;

async function readOpened(id: string): Promise<Opened> {
  const reading = readContacts();
  if (id === 'new') {
    const [{ Timezone }, contacts] = await Promise.all([take(api.GET('/account')), reading]);
    const draft = { name: '', zone: Timezone, steps: [newStep(0, '0')] };
    return { id: undefined, stored: [], draft, etag: undefined, contacts };
  }
  const params = { path: { nschedule_id: id } };
  const [{ data, etag }, contacts] = await Promise.all([
    takeAnswer(api.GET('/nschedules/{nschedule_id}', { params })),
    reading,
  ]);
  return { id, stored: data.Steps, draft: draftOf(data), etag, contacts };
}

/** A local time in words: `Sunday 29 Nov at 03:10`. */
function dayWords(wall: string): string {
  if (wall === '') return '–';
  const day = new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(Date.parse(`${wall}Z`));
  return `${day.replace(',', '')} at ${wall.slice(11, 16)}`;
}

/** A time and a severity of which one asks who is notified. */
interface Question {
  readonly wall: string;
  readonly severity: Severity;
}

function Ask({
  question,
  clocks,
  onAsk,
}: {
  readonly question: Question;
  readonly clocks: string;
  readonly onAsk: (question: Question) => void;
}) {
  return (
    <div class={css['ask']}>
      <b>{say.ask}</b>
      <input
        type="datetime-local"
        aria-label={say.at}
        value={question.wall}
        onInput={({ currentTarget }) => onAsk({ ...question, wall: currentTarget.value.slice(0, 16) })}
      />
      <span>{say.severity}</span>
      <Choice
        names={severities}
        words={planTexts.severities}
        chosen={question.severity}
        onChoose={(severity) => onAsk({ ...question, severity })}
      />
      <span class="mute">{say.zoneOf(clocks)}</span>
    </div>
  );
}

/** The steps as sentences, for those who may not change them. */
function StepList({
  opened,
  nameOf,
}: {
  readonly opened: Opened;
  readonly nameOf: (contactId: string) => string;
}) {
  return (
    <section class="section">
      <h2>{say.steps}</h2>
      <ol class={css['listSteps']}>
        {opened.draft.steps.length === 0 && <li>{say.noSteps}</li>}
        {opened.stored.map((step, at) => (
          <li key={at}>
            <bdi>{stepWords(step, nameOf)}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Shown({ opened, again }: { readonly opened: Opened; readonly again: () => void }) {
  const form = useForm(opened);
  const [question, setQuestion] = useState<Question>(() => ({
    wall: wallTime(opened.draft.zone, serverNow()),
    severity: 'critical',
  }));
  const answered = useAnswer(form.draft, question.wall, question.severity);
  const names = new Map(opened.contacts.map(({ contact_id, Name }) => [contact_id, Name]));
  const nameOf = (id: string) => names.get(id) ?? say.gone;
  const title = opened.id === undefined ? say.addTitle : opened.draft.name;
  return (
    <>
      <Heading>
        <bdi>{title}</bdi>
      </Heading>
      <section class="section">
        <Ask question={question} clocks={form.draft.zone} onAsk={setQuestion} />
        <Strip draft={form.draft} wall={question.wall} nameOf={nameOf} />
      </section>
      <div class={css['beside']}>
        <Answer answered={answered} day={dayWords(question.wall)} isSaved={form.isSaved} />
        <div class={css['steps']}>
          {mayWrite.value ? (
            <Form opened={opened} form={form} onSaved={again} />
          ) : (
            <StepList opened={opened} nameOf={nameOf} />
          )}
          {opened.id !== undefined && <UsedBy id={opened.id} round={form.round} />}
        </div>
      </div>
    </>
  );
}

/** A notification schedule: who is notified then, its steps, and what uses it. */
export function Schedule({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={texts.screens.schedules} addTitle={say.addTitle} read={readOpened}>
      {(opened, again, key) => <Shown key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}

/** The account, Locations and devices that use a schedule. `round` changes when it may be used otherwise. */
function UsedBy({ id, round }: { readonly id: string; readonly round: number }) {
  const users = useRead(() => readScheduleUsers([id]), [id], [round]);
  const data = users.data?.get(id);
  const isUnused =
    data !== undefined && !data.isOfAccount && data.devices === 0 && data.locations.length === 0;
  return (
    <section class={`section ${css['used']}`}>
      <h2>{planTexts.usedBy}</h2>
      <ReadState read={users} rows={0} />
      {data !== undefined && (
        <ul>
          {isUnused && <li class="mute">{planTexts.unused}</li>}
          {data.isOfAccount && <li>{say.ofAccount}</li>}
          {data.locations.length > 0 && <li>{say.locations(data.locations)}</li>}
          {data.devices > 0 && (
            <li>
              {say.devices(data.devices)}:{' '}
              {data.first.map(({ id: deviceId, name }, at) => (
                <span key={deviceId}>
                  {at > 0 && ', '}
                  <a class="link" href={`/devices/${deviceId}`}>
                    <bdi>{name}</bdi>
                  </a>
                </span>
              ))}
              {data.devices > data.first.length && ` ${say.more(data.devices - data.first.length)}`}
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

const dayMinutes = weekMinutes / weekdays.length;

const isTime = (text: string) => text === '' || /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

/** A week in which each step has a row with the hours in which it may notify; a line marks a time. */
function Strip({
  draft,
  wall,
  nameOf,
}: {
  readonly draft: ScheduleDraft;
  /** The marked time, on the clocks of the schedule. */
  readonly wall: string;
  readonly nameOf: (contactId: string) => string;
}) {
  const minute = wall === '' ? Number.NaN : weekMinuteOf(wall);
  const steps = stepsOf(draft);
  return (
    <figure class={css['strip']} aria-label={say.week}>
      <span />
      <div class={css['week']} aria-hidden="true">
        {weekdays.map((day) => (
          <span key={day}>{day}</span>
        ))}
      </div>
      {draft.steps.map((step, at) => (
        <Row
          key={step.key}
          name={step.contacts.map(nameOf).join(', ')}
          place={at + 1}
          after={steps[at]?.DelayMinutes}
          hours={hoursText(steps[at] ?? {})}
          spans={isTime(step.from) && isTime(step.to) ? weekSpans(step) : []}
          minute={minute}
        />
      ))}
    </figure>
  );
}

function Row({
  name,
  place,
  after,
  hours,
  spans,
  minute,
}: {
  readonly name: string;
  readonly place: number;
  readonly after: unknown;
  readonly hours: string;
  readonly spans: ReturnType<typeof weekSpans>;
  readonly minute: number;
}) {
  const when = typeof after === 'number' ? say.words.after(after) : '–';
  return (
    <>
      <div class={css['rowName']}>
        <span class="cut" title={name}>
          {place} <bdi>{name === '' ? '–' : name}</bdi>
        </span>
        <span class="hint">{when}</span>
      </div>
      <svg
        class={css['hours']}
        viewBox={`0 0 ${weekMinutes} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${say.step(place)}: ${hours === '' ? say.words.allDay : hours}`}
      >
        {weekdays.map((day, at) => (
          <line key={day} class={css['day']} x1={at * dayMinutes} x2={at * dayMinutes} y1="0" y2="32" />
        ))}
        {spans.map(({ from, to }) => (
          <rect key={from} class={css['span']} x={from} y="9" width={to - from} height="14" />
        ))}
        {Number.isFinite(minute) && <line class={css['now']} x1={minute} x2={minute} y1="0" y2="32" />}
      </svg>
    </>
  );
}
