import { milliseconds } from '../../model/format.ts';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { texts } from '../../texts.ts';
import css from './device.module.css';
import { type Check, readExtended } from './read-detail.ts';

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

/** A check in full: its phases, then what was kept of it, word for word. */
export function OpenedCheck({ check, isGood }: { readonly check: Check; readonly isGood: boolean }) {
  const { data, problem, again } = useRead(() => readExtended(check.check_id), [check.check_id]);
  const total = phases.reduce((sum, [, field]) => sum + check[field], 0);
  const details =
    data === undefined ? [] : Object.entries(data.Extended).filter(([, value]) => !isEmpty(value));
  return (
    <div class={`${css['opened']} ${isGood ? '' : css['openedBad']}`}>
      <p class={css['whole']}>{check.CheckResult}</p>
      {total > 0 && (
        <ul class={css['legend']} aria-label={say.phasesOf}>
          {phases
            .filter(([, field]) => check[field] > 0)
            .map(([name, field]) => (
              <li key={name}>
                <i class={css[`${name}Key`]} /> {say.phaseNames[name]} <b>{milliseconds(check[field])}</b>
              </li>
            ))}
        </ul>
      )}
      {problem !== undefined && <Failure problem={problem} retry={again} />}
      {data === undefined && problem === undefined && <Waiting rows={3} />}
      {data !== undefined && (
        <>
          {data.Agent !== null && <p class="hint">{say.agent(data.Agent)}</p>}
          {details.length === 0 && <p class="mute">{say.noDetail}</p>}
          {details.map(([name, value]) => (
            <section key={name} class={css['part']}>
              <h3>{wordsOfName(name)}</h3>
              <Detail value={value} depth={0} />
            </section>
          ))}
        </>
      )}
    </div>
  );
}
