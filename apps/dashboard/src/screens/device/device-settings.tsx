import { isReceived } from '@vantage/domain/method';
import type { ComponentChildren } from 'preact';
import { briefly } from '../../model/format.ts';
import { wordsOfName } from '../../model/option-words.ts';
import { HistoryLink } from '../../parts/history-link.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices } from '../../store/account-state.ts';
import { mayWrite } from '../../store/credential.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './device.module.css';
import { deviceTexts } from './device-texts.ts';
import { InlineSetting } from './inline-setting.tsx';
import type { DeviceDetail } from './read-detail.ts';
import { readRelated } from './read-related.ts';

const say = deviceTexts;
const names = deviceTexts.facts;

/** A value of an Option in one line. The API shows secrets as `***`. */
function optionWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(optionWords).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => `${wordsOfName(name)} ${optionWords(each)}`)
      .join(', ');
  if (typeof value === 'boolean') return value ? say.yes : say.no;
  const text = String(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function Fact({
  name,
  field,
  id,
  children,
}: {
  readonly name: string;
  /** The field of the form that changes it. */
  readonly field?: string | undefined;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  const isLink = field !== undefined && mayWrite.value;
  return (
    <div>
      <dt>
        {isLink ? (
          <a href={`/devices/${id}/edit?field=${field}`} title={say.change(name)}>
            {name}
          </a>
        ) : (
          name
        )}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** All settings of a device, with links to what they name and to the field that changes them. */
export function DeviceSettings({
  detail,
  again,
}: {
  readonly detail: DeviceDetail;
  readonly again: () => void;
}) {
  const { device } = detail;
  const inline = { detail, again };
  const id = device.device_id;
  const related = useRead(() => readRelated(device), [id], [device.UpdatedAt]);
  const { data } = related;
  const master = device.device_master_id === null ? undefined : devices.value.get(device.device_master_id);
  const options = Object.entries(device.Options ?? {}).filter(([, value]) => value !== null);
  const [next] = device.Maintenance;
  return (
    <>
      <div class={css['bar']}>
        <h2>{say.settings}</h2>
        {mayWrite.value && (
          <a class="link" href={`/devices/${id}/edit`}>
            {say.allFields}
          </a>
        )}
      </div>
      <dl>
        <Fact id={id} name={names.url} field="URL">
          {device.URL} <span class="mute">{device.Method}</span>
        </Fact>
        <Fact id={id} name={names.every} field="Frequency">
          <InlineSetting
            {...inline}
            field="Frequency"
            name={names.every}
            words={deviceWords.every(device.FrequencySeconds ?? device.Frequency * 60)}
          />
        </Fact>
        {!isReceived(device.Method) && (
          <>
            <Fact id={id} name={names.locations} field="Locations">
              {device.Locations.join(', ')}
            </Fact>
            <Fact id={id} name={names.timeout} field="Timeout">
              <InlineSetting
                {...inline}
                field="Timeout"
                name={names.timeout}
                words={briefly(device.Timeout)}
              />
            </Fact>
            <Fact id={id} name={names.attempts} field="Attempts">
              <InlineSetting
                {...inline}
                field="Attempts"
                name={names.attempts}
                words={say.attemptsOf(device.Attempts, device.RetryDelay)}
              />
            </Fact>
          </>
        )}
        <Fact id={id} name={names.severity} field="Severity">
          <InlineSetting
            {...inline}
            field="Severity"
            name={names.severity}
            words={alertTexts.severity[device.Severity]}
          />
        </Fact>
        <Fact id={id} name={names.master} field="device_master_id">
          {device.device_master_id === null ? (
            <>
              {say.none}{' '}
              {data?.suggested !== undefined && (
                <a class="link" href={`/devices/${data.suggested.id}`}>
                  {say.perhaps(data.suggested.name)}
                </a>
              )}
            </>
          ) : (
            <a class="link" href={`/devices/${device.device_master_id}`}>
              <bdi>{master?.name ?? say.otherDevice}</bdi>
            </a>
          )}
        </Fact>
        <Fact id={id} name={names.behind}>
          {data === undefined
            ? '–'
            : data.behind.total === 0
              ? say.none
              : data.behind.first.map((each, at) => (
                  <span key={each.id}>
                    {at > 0 && ', '}
                    <a class="link" href={`/devices/${each.id}`}>
                      <bdi>{each.name}</bdi>
                    </a>
                  </span>
                ))}
          {data !== undefined &&
            data.behind.total > data.behind.first.length &&
            ` ${say.andMore(data.behind.total - data.behind.first.length)}`}
        </Fact>
        <Fact id={id} name={names.notifies} field="nschedule_id">
          {data?.nschedule === undefined ? (
            say.defaultSchedule
          ) : (
            <a class="link" href={`/schedules/${data.nschedule.id}`}>
              {data.nschedule.name}
            </a>
          )}
          {device.nschedule_id === null && data?.nschedule !== undefined && (
            <span class="mute"> {say.byDefault}</span>
          )}
        </Fact>
        <Fact id={id} name={names.maintenance} field="mschedule_id">
          {data?.mschedule === undefined ? (
            say.none
          ) : (
            <a class="link" href={`/maintenance/${data.mschedule.id}`}>
              {data.mschedule.name}
            </a>
          )}
          {next !== undefined && (
            <span class="mute">
              {' '}
              {say.next} <Moment at={next.Start} />
            </span>
          )}
        </Fact>
        {options.map(([name, value]) => (
          <Fact key={name} id={id} name={wordsOfName(name)} field={name}>
            {optionWords(value)}
          </Fact>
        ))}
        <Fact id={id} name={names.tags} field="Tags">
          {device.Tags.length === 0
            ? say.none
            : device.Tags.map(({ tag_id, Name }) => (
                <a key={tag_id} class="tag" href={`/devices?q=${encodeURIComponent(`tag:"${Name}"`)}`}>
                  {Name}
                </a>
              ))}
        </Fact>
        <Fact id={id} name={names.key} field="ExternalKey">
          {device.ExternalKey ?? say.none}
        </Fact>
        <Fact id={id} name={names.source}>
          {device.Source ?? say.none}
        </Fact>
        <Fact id={id} name={names.created}>
          <Moment at={device.CreatedAt} />
        </Fact>
      </dl>
      <ReadState read={related} rows={0} />
      {device.Warnings.map((warning) => (
        <p key={warning} class="hint bad">
          {warning}
        </p>
      ))}
      <p class="hint">
        <a class="link" href={`/reports?devices=${id}`}>
          {deviceWords.report}
        </a>{' '}
        <HistoryLink id={id} />
      </p>
    </>
  );
}
