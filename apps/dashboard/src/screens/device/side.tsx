import { briefly } from '../../model/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Moment } from '../../parts/time.tsx';
import { texts } from '../../texts/index.ts';
import css from './device.module.css';
import type { DeviceDetail } from './read-detail.ts';

const say = texts.device;

const beforeMs = 30 * 60_000;

/** A value of a change in few characters. Secrets are `***` already. */
function valueWords(value: unknown): string {
  if (value === null || value === undefined) return say.nothing;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Changes by people, and whether they came shortly before the last outage. */
function Changed({ detail: { audit, outages } }: { readonly detail: DeviceDetail }) {
  if (audit.length === 0) return null;
  const failedAt = Date.parse(outages[0]?.Start ?? '');
  return (
    <>
      <h2>{say.changedHead}</h2>
      <ul>
        {audit.slice(0, 6).map(({ audit_id, Timestamp, Actor, Action, Changes }) => {
          const before = failedAt - Date.parse(Timestamp);
          const isBefore = before >= 0 && before <= beforeMs;
          return (
            <li key={audit_id} class={css['change']}>
              <span>
                <Moment at={Timestamp} /> <bdi>{Actor}</bdi> {Action === 'Create' ? say.created : ''}
              </span>
              {isBefore && <b>{say.beforeIt(briefly(before / 1_000))}</b>}
              {Action !== 'Create' &&
                Changes.map(({ Field, Old, New }) => (
                  <span key={Field} class="mute">
                    {say.changedFrom(Field, valueWords(Old), valueWords(New))}
                  </span>
                ))}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Outages({ outages }: Pick<DeviceDetail, 'outages'>) {
  return (
    <>
      <h2>{say.outagesHead}</h2>
      {outages.length === 0 && <p class="mute">{say.noOutages}</p>}
      <ul>
        {outages.map(({ outage_id, Start, End, Seconds, CheckResult }) => (
          <li key={outage_id} class={css['outage']} title={CheckResult ?? undefined}>
            <Mark name={End === null ? 'Down' : 'Other'} />
            <span>
              {End === null ? say.now : <Moment at={Start} />}, {briefly(Seconds)}
            </span>
            <span class="cut mute">{CheckResult}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Settings, outages and changes, beside the checks. */
export function Side({ detail }: { readonly detail: DeviceDetail }) {
  const { device, outages } = detail;
  const facts: readonly (readonly [string, string])[] = [
    [say.facts.method, device.Method],
    [say.facts.url, device.URL],
    [say.facts.every, say.every(device.FrequencySeconds ?? device.Frequency * 60)],
    [say.facts.timeout, briefly(device.Timeout)],
    [say.facts.attempts, say.attemptsOf(device.Attempts, device.RetryDelay)],
    [say.facts.locations, device.Locations.join(', ')],
    [say.facts.severity, texts.alerts.severity[device.Severity]],
  ];
  return (
    <aside class={css['side']}>
      <h2>{say.settings}</h2>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {device.Tags.length > 0 && (
          <div>
            <dt>{say.facts.tags}</dt>
            <dd>
              {device.Tags.map(({ tag_id, Name }) => (
                <a key={tag_id} class="tag" href={`/devices?q=${encodeURIComponent(`tag:"${Name}"`)}`}>
                  {Name}
                </a>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>{say.facts.created}</dt>
          <dd>
            <Moment at={device.CreatedAt} />
          </dd>
        </div>
      </dl>
      {device.Warnings.map((warning) => (
        <p key={warning} class="hint bad">
          {warning}
        </p>
      ))}
      <Outages outages={outages} />
      <Changed detail={detail} />
    </aside>
  );
}
