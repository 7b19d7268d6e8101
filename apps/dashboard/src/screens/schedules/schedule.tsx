import { useState } from 'preact/hooks';
import { fixedSeverityOf, previewKinds } from '../../model/preview-kinds.ts';
import { severityChoices } from '../../model/severity-choices.ts';
import { wallTime } from '../../model/zoned.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { Heading } from '../../parts/heading.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import type { ScreenProps } from '../../screen-props.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { serverNow } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { readContacts } from '../../store/notification-schedules.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { stepTexts, stepWords } from '../../texts/step-words.ts';
import { ScheduleAnswer, type ScheduleQuestion, useAnswer } from './schedule-answer.tsx';
import { newStep, type OpenedSchedule, scheduleDraft } from './schedule-draft.ts';
import { ScheduleForm, useScheduleForm } from './schedule-form.tsx';
import { scheduleTexts } from './schedule-texts.ts';
import { ScheduleUsage } from './schedule-users.tsx';
import css from './schedules.module.css';
import { WeekStrip } from './week-strip.tsx';

const say = scheduleTexts;

async function readOpened(id: string): Promise<OpenedSchedule> {
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
  return { id, stored: data.Steps, draft: scheduleDraft(data), etag, contacts };
}

/** A local time in words: `Sunday 29 Nov at 03:10`. */
function wallWords(wall: string): string {
  if (wall === '') return '–';
  const day = new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(Date.parse(`${wall}Z`));
  return `${day.replace(',', '')} at ${wall.slice(11, 16)}`;
}

function QuestionFields({
  question,
  zone,
  onChange,
}: {
  readonly question: ScheduleQuestion;
  readonly zone: string;
  readonly onChange: (question: ScheduleQuestion) => void;
}) {
  return (
    <div class={css['ask']}>
      <b>{say.ask}</b>
      <input
        type="datetime-local"
        aria-label={say.at}
        value={question.wall}
        onInput={({ currentTarget }) => onChange({ ...question, wall: currentTarget.value.slice(0, 16) })}
      />
      <select
        aria-label={say.kind}
        value={question.kind}
        onChange={({ currentTarget }) => {
          const kind = previewKinds.find((name) => name === currentTarget.value);
          if (kind !== undefined) onChange({ ...question, kind });
        }}
      >
        {previewKinds.map((kind) => (
          <option key={kind} value={kind}>
            {say.kinds[kind]}
          </option>
        ))}
      </select>
      {fixedSeverityOf(question.kind) === undefined && (
        <>
          <span>{say.severity}</span>
          <ButtonChoice
            names={severityChoices}
            words={alertTexts.severity}
            chosen={question.severity}
            onChoose={(severity) => onChange({ ...question, severity })}
          />
        </>
      )}
      <span class="mute">{say.zoneOf(zone)}</span>
    </div>
  );
}

/** The steps as sentences, for sessions that may not change them. */
function StepList({
  opened,
  nameOf,
}: {
  readonly opened: OpenedSchedule;
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

function ScheduleDetails({ opened, again }: { readonly opened: OpenedSchedule; readonly again: () => void }) {
  const form = useScheduleForm(opened);
  const [question, setQuestion] = useState<ScheduleQuestion>(() => ({
    wall: wallTime(opened.draft.zone, serverNow()),
    kind: 'device.down',
    severity: 'critical',
  }));
  const answered = useAnswer(form.draft, question);
  const names = new Map(opened.contacts.map(({ contact_id, Name }) => [contact_id, Name]));
  const nameOf = (id: string) => names.get(id) ?? stepTexts.gone;
  const title = opened.id === undefined ? say.addTitle : opened.draft.name;
  return (
    <>
      <Heading>
        <bdi>{title}</bdi>
      </Heading>
      <section class="section">
        <QuestionFields question={question} zone={form.draft.zone} onChange={setQuestion} />
        <WeekStrip draft={form.draft} wall={question.wall} nameOf={nameOf} />
      </section>
      <div class={css['beside']}>
        <ScheduleAnswer
          answered={answered}
          head={say.answer(say.kinds[question.kind], wallWords(question.wall))}
          isUp={question.kind === 'device.up'}
          isSaved={form.isSaved}
        />
        <div class={css['steps']}>
          {mayWrite.value ? (
            <ScheduleForm opened={opened} form={form} onSaved={again} />
          ) : (
            <StepList opened={opened} nameOf={nameOf} />
          )}
          {opened.id !== undefined && <ScheduleUsage id={opened.id} round={form.round} />}
        </div>
      </div>
    </>
  );
}

/** A notification schedule: who is notified, its steps, and what uses it. */
export function ScheduleScreen({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={frameTexts.screens.schedules} addTitle={say.addTitle} read={readOpened}>
      {(opened, again, key) => <ScheduleDetails key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}
