import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { milliseconds } from '../model/format.ts';
import { texts } from '../texts/index.ts';
import css from './check-detail.module.css';
import legend from './legend.module.css';
import type { MarkName } from './mark.tsx';

const say = texts.device;
const phases = [
  ['dns', 'DNSTime'],
  ['connect', 'ConnectTime'],
  ['tls', 'SSLTime'],
  ['first', 'TTFB'],
  ['transfer', 'TTLB'],
] as const;

const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
const isText = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
/** `HostKeyFingerprint` as people read it: `Host key fingerprint`. */
const wordsOfName = (name: string) =>
  name.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );

/** A value of the diagnostics: lists of lines as they came, objects as names and values. */
function Detail({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (value === null || value === undefined) return <span class="mute">–</span>;
  if (typeof value === 'string' && value.includes('\n')) return <pre class={css['text']}>{value}</pre>;
  if (isText(value)) return <span class={css['value']}>{String(value)}</span>;
  if (depth > 5) return <pre class={css['text']}>{JSON.stringify(value)}</pre>;
  if (Array.isArray(value)) {
    if (value.every(isText) && value.length > 2) return <pre class={css['text']}>{value.join('\n')}</pre>;
    return (
      <ul class={css['items']}>
        {value.map((each: unknown, at) => (
          <li key={at}>
            <Detail value={each} depth={depth + 1} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl class={css['detail']}>
      {Object.entries(value).map(([name, each]: [string, unknown]) => (
        <div key={name}>
          <dt>{wordsOfName(name)}</dt>
          <dd>
            <Detail value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The status by one check; codes 9 and 10 have none. */
export function outcomeOf({ ResultCode }: Pick<Schemas['Check'], 'ResultCode'>): {
  readonly mark: MarkName;
  readonly word: string;
} {
  if (ResultCode === 1) return { mark: 'Up', word: say.good };
  if (ResultCode >= 9) return { mark: 'Unknown', word: say.inconclusive };
  return { mark: 'Down', word: say.bad };
}

/** A check in full: its result and phases, then its diagnostics, word for word; `children` stand between them. */
export function CheckDetail({
  check,
  extended,
  without = [],
  children,
}: {
  readonly check: Omit<Schemas['Check'], 'check_id'>;
  /** Undefined: not read yet. */
  readonly extended: Readonly<Record<string, unknown>> | undefined;
  /** Parts of the diagnostics that `children` show. */
  readonly without?: readonly string[];
  readonly children?: ComponentChildren;
}) {
  const total = phases.reduce((sum, [, field]) => sum + check[field], 0);
  const details = Object.entries(extended ?? {}).filter(
    ([name, value]) => !isEmpty(value) && !without.includes(name),
  );
  return (
    <div class={`${css['opened']} ${outcomeOf(check).mark === 'Up' ? '' : css['openedBad']}`}>
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
      {children}
      {extended !== undefined && details.length + without.length === 0 && <p class="mute">{say.noDetail}</p>}
      {details.map(([name, value]) => (
        <section key={name} class={css['part']}>
          <h3>{wordsOfName(name)}</h3>
          <Detail value={value} depth={0} />
        </section>
      ))}
    </div>
  );
}
