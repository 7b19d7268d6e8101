import type { Schemas } from '@vantage/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { milliseconds } from '../../model/format.ts';
import { CheckDetail, outcomeOf } from '../../parts/check-detail.tsx';
import { Icon } from '../../parts/icon.tsx';
import legend from '../../parts/legend.module.css';
import { problemWords } from '../../parts/problem-words.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { checkTexts } from '../../texts/check-texts.ts';
import { type DeviceDraft, faultsOf, trialBody } from './device-draft.ts';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { barParts, type LocationTrial, outcomesOf, type TrialRecord } from './trial-results.ts';

/** The maximum number of Locations of a trial. */
const maxLocations = 12;
/** The API accepts four trials of an account at once; one is left for another person. */
const parallel = 3;

/** Checks the draft once from each of some Locations. `show` gets each result. Throws if the settings are refused. */
async function tryAll(
  { draft, id }: { readonly draft: DeviceDraft; readonly id: string | undefined },
  names: readonly string[],
  signal: AbortSignal,
  show: (name: string, trial: LocationTrial) => void,
): Promise<void> {
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      try {
        // The API validates the body by its Method; the form is built from the same schema.
        const body = trialBody(draft, name, id) as Schemas['CheckTrial'];
        show(name, { state: 'done', record: await take(api.POST('/checks/trial', { body, signal })) });
      } catch (error) {
        // Refused settings are refused from each Location.
        if (signal.aborted || (error instanceof ApiProblem && error.fields.length > 0)) {
          waiting.length = 0;
          throw error;
        }
        show(name, { state: 'refused', reason: problemWords(error) });
      }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** The last trial, and the draft that was tried. */
export interface DraftTrial {
  readonly draft: DeviceDraft | undefined;
  readonly trials: ReadonlyMap<string, LocationTrial>;
  readonly run: (draft: DeviceDraft, names: readonly string[]) => void;
}

/** Trials of the draft. `id` is that of the stored device. `onProblem` gets the refusal of the API. */
export function useTrial(
  id: string | undefined,
  onProblem: (problem: Error | undefined) => void,
): DraftTrial {
  const [draft, setDraft] = useState<DeviceDraft>();
  const [trials, setTrials] = useState<ReadonlyMap<string, LocationTrial>>(new Map());
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const run = (tried: DeviceDraft, names: readonly string[]) => {
    leaving.current?.abort();
    const ending = new AbortController();
    leaving.current = ending;
    setDraft(tried);
    setTrials(new Map(names.map((name) => [name, { state: 'running' }] as const)));
    onProblem(undefined);
    tryAll({ draft: tried, id }, names, ending.signal, (name, trial) => {
      if (!ending.signal.aborted) setTrials((last) => new Map(last).set(name, trial));
    }).catch((error: unknown) => {
      if (ending.signal.aborted) return;
      setTrials(new Map());
      onProblem(error instanceof Error ? error : new Error(String(error)));
    });
  };
  return { draft, trials, run };
}

/** The phases of a check as a bar; `maxMs` is the longest check of the trial. */
function PhaseBar({ record, maxMs }: { readonly record: TrialRecord; readonly maxMs: number }) {
  return (
    <svg class={css['phases']} viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      {barParts(record, maxMs).map(({ name, from, width }) => (
        <rect key={name} class={css[`${name}Part`]} x={from} y="0" width={width} height="8" />
      ))}
    </svg>
  );
}

function TrialRow({
  name,
  trial,
  maxMs,
}: {
  readonly name: string;
  readonly trial: LocationTrial;
  readonly maxMs: number;
}) {
  const [isOpen, setOpen] = useState(false);
  if (trial.state !== 'done')
    return (
      <li class={css['tried']}>
        <Icon name="Unknown" word={trial.state === 'running' ? say.trying : checkTexts.inconclusive} />
        <bdi class="cut">{name}</bdi>
        <span class={`mute ${css['said']}`}>
          {trial.state === 'running' ? say.trying : say.notTried(trial.reason)}
        </span>
      </li>
    );
  const { record } = trial;
  const { icon, word } = outcomeOf(record);
  return (
    <li class={css['tried']}>
      <Icon name={icon} word={word} />
      <bdi class="cut">{name}</bdi>
      <PhaseBar record={record} maxMs={maxMs} />
      <span class="num">{milliseconds(record.RequestTime > 0 ? record.RequestTime : null)}</span>
      {!isOpen && (
        <span class={`${css['said']} ${icon === 'Down' ? 'bad' : 'mute'}`}>{record.CheckResult}</span>
      )}
      <button
        type="button"
        class={`link ${css['fold']}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {say.details(name)}
      </button>
      {isOpen && (
        <div class={css['opened']}>
          <CheckDetail check={record} extended={record.Extended} />
        </div>
      )}
    </li>
  );
}

/** The conclusion from the outcomes of all Locations. */
function Verdict({
  trials,
  onLeaveOut,
}: {
  readonly trials: DraftTrial['trials'];
  readonly onLeaveOut: ((name: string) => void) | undefined;
}) {
  const { good, bad, inconclusive, isRunning } = outcomesOf(trials);
  if (isRunning || trials.size === 0) return null;
  const [first] = bad;
  return (
    <p class={css['verdict']}>
      {bad.length > 0 && good.length > 0 && say.partialFrom(bad)}
      {bad.length > 0 && good.length === 0 && say.failsFrom(bad)}
      {bad.length === 0 && good.length > 0 && say.worksFrom(good)}{' '}
      {inconclusive.length > 0 && say.inconclusiveFrom(inconclusive)}{' '}
      {bad.length === 1 && good.length > 0 && first !== undefined && onLeaveOut !== undefined && (
        <button type="button" class="button" onClick={() => onLeaveOut(first)}>
          {say.leaveOut(first)}
        </button>
      )}
    </p>
  );
}

/** Checks the draft once from its Locations before it is saved, and compares them. */
export function DeviceTrial({
  draft,
  trial,
  locations,
  onFault,
  onLeaveOut,
}: {
  readonly draft: DeviceDraft;
  readonly trial: DraftTrial;
  /** The Locations that would check the draft. */
  readonly locations: readonly string[];
  /** A field cannot be sent. */
  readonly onFault: () => void;
  /** Takes a Location out of the draft; undefined: the draft names none. */
  readonly onLeaveOut: ((name: string) => void) | undefined;
}) {
  const { trials } = trial;
  const isRunning = [...trials.values()].some(({ state }) => state === 'running');
  const records = [...trials.values()].flatMap((each) => (each.state === 'done' ? [each.record] : []));
  const maxMs = Math.max(0, ...records.map(({ RequestTime }) => RequestTime));
  const names = locations.slice(0, maxLocations);
  const run = () => (faultsOf(draft).size > 0 ? onFault() : trial.run(draft, names));
  return (
    <section class={css['trial']} aria-label={say.try}>
      <div class={css['trialHead']}>
        <h2>{say.try}</h2>
        {trials.size > 0 && trial.draft !== draft && <span class="hint">{say.triedBefore}</span>}
        <button type="button" class="button" disabled={isRunning || names.length === 0} onClick={run}>
          {isRunning ? say.trying : trials.size > 0 ? say.tryAgain : say.try}
        </button>
      </div>
      <div role="status">
        <ul>
          {[...trials].map(([name, each]) => (
            <TrialRow key={`${name} ${each.state}`} name={name} trial={each} maxMs={maxMs} />
          ))}
        </ul>
        <Verdict trials={trials} onLeaveOut={onLeaveOut} />
      </div>
      {maxMs > 0 && (
        <ul class={legend['legend']}>
          {Object.entries(checkTexts.phaseNames).map(([name, words]) => (
            <li key={name}>
              <i class={legend[`${name}Key`]} /> {words}
            </li>
          ))}
        </ul>
      )}
      {names.length === 0 && <p class="hint">{say.tryNone}</p>}
      {locations.length > names.length && <p class="hint">{say.tryCut(names.length, locations.length)}</p>}
      {trials.size === 0 && names.length > 0 && <p class="hint">{say.tryHint}</p>}
    </section>
  );
}
