import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { milliseconds } from '../model/format.ts';
import { wordsOfName } from '../model/option-words.ts';
import { phases } from '../model/phases.ts';
import { checkTexts } from '../texts/check-texts.ts';
import { CheckCourse } from './check-course.tsx';
import css from './check-detail.module.css';
import type { IconName } from './icon.tsx';
import legend from './legend.module.css';
import { StepBars } from './step-bars.tsx';
import { ValueList } from './value-list.tsx';

const say = checkTexts;

const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
const isText = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
/** A value of the diagnostics: lists of texts line by line, objects as names and values. */
function Detail({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (value === null || value === undefined) return <span class="mute">–</span>;
  if (typeof value === 'string' && value.includes('\n')) return <pre class={css['text']}>{value}</pre>;
  if (isText(value)) return <span class={css['value']}>{String(value)}</span>;
  if (depth > 5) return <pre class={css['text']}>{JSON.stringify(value)}</pre>;
  if (Array.isArray(value)) {
    if (value.every(isText) && value.length > 2) return <pre class={css['text']}>{value.join('\n')}</pre>;
    return (
      <ul class={css['items']}>
        {value.map((item: unknown, index) => (
          <li key={index}>
            <Detail value={item} depth={depth + 1} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl class={css['detail']}>
      {Object.entries(value).map(([name, field]: [string, unknown]) => (
        <div key={name}>
          <dt>{wordsOfName(name)}</dt>
          <dd>
            <Detail value={field} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The icon and the word for the outcome of a check. Codes 9 and 10 are inconclusive. */
export function outcomeOf({ ResultCode }: Pick<Schemas['Check'], 'ResultCode'>): {
  readonly icon: IconName;
  readonly word: string;
} {
  if (ResultCode === 1) return { icon: 'Up', word: say.good };
  if (ResultCode >= 9) return { icon: 'Unknown', word: say.inconclusive };
  return { icon: 'Down', word: say.bad };
}

/** A check in full: its result, phases and course, `children`, then all that was kept of it. */
export function CheckDetail({
  check,
  extended,
  without = [],
  children,
}: {
  readonly check: Omit<Schemas['Check'], 'check_id'>;
  /** The diagnostics; undefined: not read yet. */
  readonly extended: Readonly<Record<string, unknown>> | undefined;
  /** Parts of the diagnostics that `children` already show. */
  readonly without?: readonly string[];
  readonly children?: ComponentChildren;
}) {
  const total = phases.reduce((sum, [, field]) => sum + check[field], 0);
  const details = Object.entries(extended ?? {}).filter(
    ([name, value]) => !isEmpty(value) && !without.includes(name),
  );
  return (
    <div class={`${css['opened']} ${outcomeOf(check).icon === 'Up' ? '' : css['openedBad']}`}>
      <p class={css['whole']}>{check.CheckResult}</p>
      {total > 0 && (
        <ul class={legend['legend']} aria-label={say.phasesOf}>
          {phases
            .filter(([, field]) => check[field] > 0)
            .map(([name, field]) => (
              <li key={name}>
                <i class={legend[`${name}Key`]} /> {say.phaseNames[name]} <b>{milliseconds(check[field])}</b>
              </li>
            ))}
        </ul>
      )}
      {extended !== undefined && details.length + without.length === 0 && <p class="mute">{say.noDetail}</p>}
      {check.Values !== undefined && <ValueList values={check.Values} />}
      {extended !== undefined && <StepBars extended={extended} />}
      {extended !== undefined && <CheckCourse check={check} extended={extended} />}
      {children}
      {details.length > 0 && (
        <details class={css['part']}>
          <summary>{say.rest}</summary>
          {details.map(([name, value]) => (
            <section key={name} class={css['part']}>
              <h3>{wordsOfName(name)}</h3>
              <Detail value={value} depth={0} />
            </section>
          ))}
        </details>
      )}
    </div>
  );
}
