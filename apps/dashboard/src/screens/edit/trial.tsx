import type { Schemas } from '@vantage/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { milliseconds } from '../../model/format.ts';
import { CheckDetail, outcomeOf } from '../../parts/check-detail.tsx';
import { Mark } from '../../parts/mark.tsx';
import { api, take } from '../../store/api.ts';
import { texts } from '../../texts/index.ts';
import { type Draft, faultsOf, trialOf } from './draft.ts';
import css from './edit.module.css';
import { focusFault } from './focus-fault.ts';

const say = texts.edit;

/** The outcome of a trial, and the draft that was tried. */
interface Tried {
  readonly draft: Draft;
  readonly record: Omit<Schemas['TrialRecord'], 'check_id'>;
}

/** Checks the draft once from a Location, before it is saved. `onProblem` gets what the API refused. */
export function Trial({
  draft,
  locations,
  onProblem,
}: {
  readonly draft: Draft;
  readonly locations: readonly string[];
  readonly onProblem: (problem: Error | undefined) => void;
}) {
  const [from, setFrom] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const run = async () => {
    const ending = new AbortController();
    leaving.current = ending;
    setBusy(true);
    setTried(undefined);
    onProblem(undefined);
    try {
      // The API validates the body by its Method; the form is built from the same schema.
      const body = trialOf(draft, from) as Schemas['CheckTrial'];
      setTried({ draft, record: await take(api.POST('/checks/trial', { body, signal: ending.signal })) });
    } catch (error) {
      if (ending.signal.aborted) return;
      onProblem(error instanceof Error ? error : new Error(String(error)));
    }
    setBusy(false);
  };
  return (
    <section class={css['trial']} aria-label={say.try}>
      <div class="buttons">
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={({ currentTarget }) => {
            if (faultsOf(draft).size > 0) focusFault(currentTarget.form);
            else void run();
          }}
        >
          {isBusy ? say.trying : say.try}
        </button>
        {locations.length > 1 && (
          <select
            aria-label={say.tryFrom}
            value={from}
            onChange={({ currentTarget: { value } }) => setFrom(value)}
          >
            <option value="">{say.tryFromDefault}</option>
            {locations.map((name) => (
              <option key={name} value={name}>
                {say.from(name)}
              </option>
            ))}
          </select>
        )}
      </div>
      <p class="hint">{say.tryHint}</p>
      <div role="status">
        {tried !== undefined && <Outcome tried={tried} isOld={tried.draft !== draft} />}
      </div>
    </section>
  );
}

function Outcome({ tried: { record }, isOld }: { readonly tried: Tried; readonly isOld: boolean }) {
  const { mark } = outcomeOf(record);
  const kind = mark === 'Up' ? 'good' : mark === 'Down' ? 'bad' : 'inconclusive';
  return (
    <>
      <h2 class={css['outcome']}>
        <Mark name={mark} /> {say.outcome[kind]} {say.from(record.Location)}
        {record.RequestTime > 0 && ': '}
        {record.RequestTime > 0 && <b class="num">{milliseconds(record.RequestTime)}</b>}
        {isOld && <span class="mute">{say.triedBefore}</span>}
      </h2>
      <CheckDetail check={record} extended={record.Extended} />
    </>
  );
}
