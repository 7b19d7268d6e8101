import { hoursText } from '../../model/step-hours.ts';
import { weekdays, weekMinuteOf, weekMinutes, weekSpans } from '../../model/week-hours.ts';
import { stepTexts } from '../../texts/step-words.ts';
import { type ScheduleDraft, stepsOf } from './schedule-draft.ts';
import { scheduleTexts as say } from './schedule-texts.ts';
import css from './schedules.module.css';

const dayMinutes = weekMinutes / weekdays.length;

const isTime = (text: string) => text === '' || /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

/**
 * A week with a row for each step, which shows the hours in which the step may notify. A line shows the time `wall`.
 */
export function WeekStrip({
  draft,
  wall,
  nameOf,
}: {
  readonly draft: ScheduleDraft;
  /** A local time in the zone of the schedule. */
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
        <StepHours
          key={step.key}
          name={step.contacts.map(nameOf).join(', ')}
          number={at + 1}
          after={steps[at]?.DelayMinutes}
          hours={hoursText(steps[at] ?? {})}
          spans={isTime(step.from) && isTime(step.to) ? weekSpans(step) : []}
          minute={minute}
        />
      ))}
    </figure>
  );
}

function StepHours({
  name,
  number,
  after,
  hours,
  spans,
  minute,
}: {
  readonly name: string;
  readonly number: number;
  readonly after: unknown;
  readonly hours: string;
  readonly spans: ReturnType<typeof weekSpans>;
  readonly minute: number;
}) {
  const when = typeof after === 'number' ? stepTexts.after(after) : '–';
  return (
    <>
      <div class={css['rowName']}>
        <span class="cut" title={name}>
          {number} <bdi>{name === '' ? '–' : name}</bdi>
        </span>
        <span class="hint">{when}</span>
      </div>
      <svg
        class={css['hours']}
        viewBox={`0 0 ${weekMinutes} 32`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${say.step(number)}: ${hours === '' ? stepTexts.allDay : hours}`}
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
