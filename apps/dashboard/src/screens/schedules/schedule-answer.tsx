import type { Schemas } from '@vantage/client';
import type { Severity } from '@vantage/domain';
import { useEffect, useState } from 'preact/hooks';
import { instantOf } from '../../model/zoned.ts';
import { Icon } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import { type ScheduleDraft, stepsOf } from './schedule-draft.ts';
import { scheduleTexts } from './schedule-texts.ts';
import css from './schedules.module.css';

const say = scheduleTexts;
/** The delay after the last letter, milliseconds. */
const pauseMs = 250;
/** The number of repeats that are shown at first. */
const shownRepeats = 3;

type PreviewedMessage = Schemas['PreviewedMessage'];

/** The moment of a local time; NaN while the zone or the time is incomplete. */
function instantIn(zone: string, wall: string): number {
  try {
    return instantOf(zone, wall);
  } catch {
    return Number.NaN;
  }
}

/** The server's answer, as far as it is known. */
interface ScheduleAnswerState {
  readonly messages: readonly PreviewedMessage[];
  readonly problem: unknown;
  readonly isLoading: boolean;
}

/** Requests from the server who is notified, a moment after the last change. */
export function useAnswer(draft: ScheduleDraft, wall: string, severity: Severity): ScheduleAnswerState {
  const [state, setState] = useState<ScheduleAnswerState>({
    messages: [],
    problem: undefined,
    isLoading: true,
  });
  const steps = stepsOf(draft);
  const empty = steps.findIndex(({ Contacts }) => Contacts.length === 0);
  useEffect(() => {
    let isCurrent = true;
    if (empty >= 0) {
      const problem = new Error(say.emptyStep(empty + 1));
      return setState({ messages: [], problem, isLoading: false });
    }
    const atMs = instantIn(draft.zone, wall);
    setState((last) => ({ ...last, isLoading: true }));
    const body = {
      Steps: steps,
      Timezone: draft.zone,
      Severity: severity,
      Kind: 'device.down' as const,
      At: Number.isNaN(atMs) ? null : new Date(atMs).toISOString(),
    };
    const show = (messages: readonly PreviewedMessage[], problem: unknown) =>
      isCurrent && setState({ messages, problem, isLoading: false });
    const preview = () => {
      take(api.POST('/nschedules/preview', { body })).then(
        (messages) => show(messages, undefined),
        (problem: unknown) => show([], problem),
      );
    };
    const timer = setTimeout(preview, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [JSON.stringify(steps), draft.zone, wall, severity]);
  return state;
}

function AnswerLine({ message: { Text, NotNotified, Repeat } }: { readonly message: PreviewedMessage }) {
  return (
    <li>
      <Icon name={Repeat ? 'Planned' : 'Other'} />
      <span>
        <bdi>{Text}</bdi>
        {NotNotified.map(({ contact_id, Name, Reason }) => (
          <span key={contact_id} class="hint">
            {say.notNotified(Name, Reason)}
          </span>
        ))}
      </span>
    </li>
  );
}

/** The server's sentences about who is notified, and when. */
export function ScheduleAnswer({
  answered: { messages, problem, isLoading },
  day,
  isSaved,
}: {
  readonly answered: ScheduleAnswerState;
  /** The time of the alert in words. */
  readonly day: string;
  readonly isSaved: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const repeats = messages.filter(({ Repeat }) => Repeat);
  const hidden = new Set(isWhole ? [] : repeats.slice(shownRepeats));
  return (
    <section class={css['answer']} aria-live="polite" aria-busy={isLoading}>
      <h2 class={css['answerHead']}>{say.answer(day)}</h2>
      {problem === undefined ? (
        <ol class={css['messages']}>
          {messages
            .filter((message) => !hidden.has(message))
            .map((message) => (
              <AnswerLine key={`${message.Timestamp}${message.Text}`} message={message} />
            ))}
        </ol>
      ) : (
        <p class="hint">
          {say.noAnswer} {problemWords(problem)}
        </p>
      )}
      {hidden.size > 0 && (
        <p>
          {say.repeats(hidden.size)}{' '}
          <button type="button" class="button" onClick={() => setWhole(true)}>
            {say.showRepeats}
          </button>
        </p>
      )}
      {messages.length === 0 && problem === undefined && <p>{isLoading ? say.asking : say.noneNotified}</p>}
      <p class="hint">
        {say.answerHint} {!isSaved && <b>{say.answerUnsaved}</b>}
      </p>
    </section>
  );
}
