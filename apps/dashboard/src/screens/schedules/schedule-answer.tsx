import type { Severity } from '@vantage/domain';
import { useEffect, useState } from 'preact/hooks';
import { fixedSeverityOf, type PreviewKind } from '../../model/preview-kinds.ts';
import { instantOf } from '../../model/zoned.ts';
import { Icon } from '../../parts/icon.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { readPreview } from './read-preview.ts';
import { type ScheduleDraft, stepsOf } from './schedule-draft.ts';
import { scheduleTexts } from './schedule-texts.ts';
import css from './schedules.module.css';

const say = scheduleTexts;
/** The delay after the last letter, milliseconds. */
const pauseMs = 250;
/** The number of repeats that are shown at first. */
const shownRepeats = 3;

type ShownMessage = Awaited<ReturnType<typeof readPreview>>[number];

/** The alert about which the answer is. */
export interface ScheduleQuestion {
  /** A local time in the zone of the schedule. */
  readonly wall: string;
  readonly kind: PreviewKind;
  /** Of the device, for kinds that have no severity of their own. */
  readonly severity: Severity;
}

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
  readonly messages: readonly ShownMessage[];
  readonly problem: unknown;
  readonly isLoading: boolean;
}

/** Requests from the server who is notified, a moment after the last change. */
export function useAnswer(
  draft: ScheduleDraft,
  { wall, kind, severity }: ScheduleQuestion,
): ScheduleAnswerState {
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
      Severity: fixedSeverityOf(kind) ?? severity,
      At: Number.isNaN(atMs) ? null : new Date(atMs).toISOString(),
    };
    const show = (messages: readonly ShownMessage[], problem: unknown) =>
      isCurrent && setState({ messages, problem, isLoading: false });
    const preview = () => {
      readPreview(body, kind).then(
        (messages) => show(messages, undefined),
        (problem: unknown) => show([], problem),
      );
    };
    const timer = setTimeout(preview, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [JSON.stringify(steps), draft.zone, wall, kind, severity]);
  return state;
}

function AnswerLine({ message: { Text, NotNotified, Repeat } }: { readonly message: ShownMessage }) {
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
  head,
  isUp,
  isSaved,
}: {
  readonly answered: ScheduleAnswerState;
  readonly head: string;
  /** Whether the answer is about the end of an alert. */
  readonly isUp: boolean;
  readonly isSaved: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const repeats = messages.filter(({ Repeat }) => Repeat);
  const hidden = new Set(isWhole ? [] : repeats.slice(shownRepeats));
  return (
    <section class={css['answer']} aria-live="polite" aria-busy={isLoading}>
      <h2 class={css['answerHead']}>{head}</h2>
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
        {isUp ? say.answerHintUp : say.answerHint} {!isSaved && <b>{say.answerUnsaved}</b>}
      </p>
    </section>
  );
}
