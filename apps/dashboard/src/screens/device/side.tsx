import { briefly } from '../../model/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Moment } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';
import css from './device.module.css';
import type { DeviceDetail } from './read-detail.ts';

const say = texts.device;

/** Settings and outages, beside the checks. */
export function Side({ detail: { device, outages } }: { readonly detail: DeviceDetail }) {
  const facts: readonly (readonly [string, string])[] = [
    [say.facts.method, device.Method],
    [say.facts.url, device.URL],
    [say.facts.every, say.everyMinutes(device.Frequency)],
    [say.facts.timeout, briefly(device.Timeout)],
    [say.facts.retries, say.retriesOf(device.Retries, device.RetryDelay)],
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
    </aside>
  );
}
