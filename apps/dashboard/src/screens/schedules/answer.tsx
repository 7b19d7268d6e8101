import type { Schemas } from '@vantage/client';
import { useEffect, useState } from 'preact/hooks';
import { instantOf } from '../../model/zoned.ts';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { api, take } from '../../store/api.ts';
import { scheduleTexts } from '../../texts/schedules.ts';
import { type ScheduleDraft, type Severity, stepsOf } from './draft.ts';
import css from './schedules.module.css';

const say = scheduleTexts;
/** After the last letter, milliseconds. */
const pauseMs = 250;
/** Repeats that are shown at first. */
const shownRepeats = 3;

type Message = Schemas['PreviewedMessage'];

/** The moment of a local time; NaN while the zone or the time is not complete. */
function instantIn(zone: string, wall: string): number {
  try {
    return instantOf(zone, wall);
  } catch {
    return Number.NaN;
  }
}

/** The server's answer to a question. */
interface Answered {
  readonly messages: readonly Message[];
  readonly problem: unknown;
  readonly isAsking: boolean;
}

/** Asks the server who is notified, a moment after the last change of the question. */
export function useAnswer(draft: ScheduleDraft, wall: string, severity: Severity): Answered {
  const [state, setState] = useState<Answered>({ messages: [], problem: undefined, isAsking: true });
  const steps = stepsOf(draft);
  const empty = steps.findIndex(({ Contacts }) => Contacts.length === 0);
  useEffect(() => {
    let isCurrent = true;
    if (empty >= 0) {
      const problem = new Error(say.emptyStep(empty + 1));
      return setState({ messages: [], problem, isAsking: false });
    }
    const atMs = instantIn(draft.zone, wall);
    setState((last) => ({ ...last, isAsking: true }));
    const body = {
      Steps: steps,
      Timezone: draft.zone,
      Severity: severity,
      Kind: 'device.down' as const,
      At: Number.isNaN(atMs) ? null : new Date(atMs).toISOString(),
    };
    const show = (messages: readonly Message[], problem: unknown) =>
      isCurrent && setState({ messages, problem, isAsking: false });
    const ask = () => {
      take(api.POST('/nschedules/preview', { body })).then(
        (messages) => show(messages, undefined),
        (problem: unknown) => show([], problem),
      );
    };
    const timer = setTimeout(ask, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [JSON.stringify(steps), draft.zone, wall, severity]);
  return state;
}

function Line({ message: { Text, NotNotified, Repeat } }: { readonly message: Message }) {
  return (
    <li>
      <Mark name={Repeat ? 'Planned' : 'Other'} />
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

/** Who is notified when, in the server's words. */
export function Answer({
  answered: { messages, problem, isAsking },
  day,
  isSaved,
}: {
  readonly answered: Answered;
  /** The time of the alert in words. */
  readonly day: string;
  readonly isSaved: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const repeats = messages.filter(({ Repeat }) => Repeat);
  const hidden = new Set(isWhole ? [] : repeats.slice(shownRepeats));
  return (
    <section class={css['answer']} aria-live="polite" aria-busy={isAsking}>
      <h2 class={css['answerHead']}>{say.answer(day)}</h2>
      {problem === undefined ? (
        <ol class={css['messages']}>
          {messages
            .filter((message) => !hidden.has(message))
            .map((message) => (
              <Line key={`${message.Timestamp}${message.Text}`} message={message} />
            ))}
        </ol>
      ) : (
        <p class="hint">
          {say.noAnswer} {wordsOf(problem)}
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
      {messages.length === 0 && problem === undefined && <p>{isAsking ? say.asking : say.nobodyNotified}</p>}
      <p class="hint">
        {say.answerHint} {!isSaved && <b>{say.answerUnsaved}</b>}
      </p>
    </section>
  );
}
