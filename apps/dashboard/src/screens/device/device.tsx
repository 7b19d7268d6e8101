import { useEffect, useState } from 'preact/hooks';
import { briefly } from '../../model/format.ts';
import { nextCheckWithin } from '../../model/next-check.ts';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Mark, StateWord } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { type DeviceRow, events, rows } from '../../store/account-state.ts';
import { setEnabled, stopMaintenance } from '../../store/act.ts';
import { go, listAddress, listFilter } from '../../store/address.ts';
import { isNotFound } from '../../store/api.ts';
import { now } from '../../store/clock.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import { Checks } from './checks.tsx';
import css from './device.module.css';
import { MaintenanceDialog } from './maintenance-dialog.tsx';
import { Phases } from './phases.tsx';
import { type Check, checkNow, type DeviceDetail, readDetail } from './read-detail.ts';
import { Story } from './story.tsx';
import { Timeline } from './timeline.tsx';

const say = texts.device;

function Acts({ detail, again }: { readonly detail: DeviceDetail; readonly again: () => void }) {
  const { device, etag } = detail;
  const id = device.device_id;
  const name = nameOf(detail);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const run = (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    work()
      .then(again, (error: unknown) => setProblem(wordsOf(error)))
      .finally(() => setBusy(false));
  };
  const check = () => run(() => checkNow(id));
  const isMaint = device.MaintenanceUntil !== null;
  const maintain = () => (isMaint ? run(() => stopMaintenance(id)) : setAsking(true));
  const pause = () => run(() => setEnabled({ id, name, etag }, !device.Enabled));
  const edit = () => go(`/devices/${id}/edit`);
  useKeys({
    ...(mayOperate.value ? { r: check, m: maintain } : {}),
    ...(mayWrite.value ? { i: edit } : {}),
  });
  if (!mayOperate.value) return null;
  return (
    <div class="buttons">
      <button type="button" class="button main" disabled={busy} onClick={check}>
        {busy ? say.checking : say.checkNow} <kbd>r</kbd>
      </button>
      <button type="button" class="button" onClick={maintain}>
        {isMaint ? say.endMaintenance : say.maintenance} <kbd>m</kbd>
      </button>
      {mayWrite.value && (
        <>
          <button type="button" class="button" disabled={busy} onClick={pause}>
            {device.Enabled ? say.pause : say.resume}
          </button>
          <a class="button" href={`/devices/${id}/edit`}>
            {say.edit} <kbd>i</kbd>
          </a>
        </>
      )}
      {problem !== undefined && (
        <span class="bad" role="alert">
          {say.checkFailed(problem)}
        </span>
      )}
      {isAsking && <MaintenanceDialog id={id} name={name} onClose={() => setAsking(false)} onDone={again} />}
    </div>
  );
}

/** When the next check is due at the latest, so that nobody waits without knowing for how long. */
function NextCheck({ detail: { device, checks } }: { readonly detail: DeviceDetail }) {
  const seconds = nextCheckWithin(device, checks[0]?.Timestamp, now.value);
  return <p class={`hint ${css['next']}`}>{seconds === undefined ? '' : say.nextWithin(briefly(seconds))}</p>;
}

function Say({ row, detail }: { readonly row: DeviceRow | undefined; readonly detail: DeviceDetail }) {
  const { device } = detail;
  const state = row?.state ?? device.Status;
  return (
    <div class={css['say']}>
      <p class={css['state']}>
        <StateWord state={state}>
          {say.for('').trim()} <Since at={row?.sinceMs ?? device.StatusSince} full />
        </StateWord>
      </p>
      <p class={css['result']}>{device.LastCheckResult}</p>
      <NextCheck detail={detail} />
    </div>
  );
}

const nameOf = ({ device }: DeviceDetail) => device.FullName ?? device.ShortName;

/** The way back to the list, with its filter. */
function BackLink() {
  const filter = listFilter.value;
  return (
    <a class="link cut" href={listAddress.value}>
      {filter === '' ? say.back : say.backTo(filter)}
    </a>
  );
}

/** A device that is not there. `name` is known when it was deleted while its screen was open. */
function Gone({ name }: { readonly name: string | undefined }) {
  return (
    <div class="page">
      <Heading>{name === undefined ? say.gone : say.deleted(name)}</Heading>
      {name !== undefined && <p class="mute">{say.deletedHint}</p>}
      <p class="section">
        <BackLink />
      </p>
    </div>
  );
}

/** A device: the sentence of its status, how it went over time, its checks, who was notified. */
export function Device({ id }: ScreenProps) {
  const newest = events.value.find(({ device_id }) => device_id === id)?.event_id;
  const row = rows.value.find((each) => each.id === id);
  // A device that leaves the list may be deleted: what is read then says so.
  const read = useRead(() => readDetail(id), [id], [newest, row === undefined]);
  const { data, problem, again } = read;
  const [picked, setPicked] = useState<Check>();
  useKeys({ Escape: () => go(listAddress.value) });
  useEffect(() => {
    // New checks come without an event.
    const timer = setInterval(() => document.hidden || again(), 15_000);
    return () => clearInterval(timer);
  }, [id]);
  if (isNotFound(problem)) return <Gone name={data && nameOf(data)} />;
  if (data === undefined)
    return (
      <div class="page">
        <ReadState read={read} rows={8} title={texts.screens.devices} />
      </div>
    );
  const { device } = data;
  return (
    <div class="page">
      <p class={css['crumb']}>
        <BackLink />
      </p>
      <ReadState read={read} />
      <div class={css['head']}>
        <div class={css['title']}>
          <Heading>
            <bdi class={css['name']} title={device.FullName ?? device.ShortName}>
              {device.FullName ?? device.ShortName}
            </bdi>{' '}
            {device.FullName !== null && <span class="tag">{device.ShortName}</span>}
          </Heading>
          <Say row={row} detail={data} />
        </div>
        <Acts detail={data} again={again} />
      </div>
      <div class={css['columns']}>
        <div class={css['body']}>
          <Timeline id={id} createdAt={device.CreatedAt} newest={newest} />
          <Phases id={id} onPick={setPicked} />
          <Checks deviceId={id} checks={data.checks} picked={picked} />
          <Story alerts={data.alerts} />
        </div>
        <Side detail={data} />
      </div>
    </div>
  );
}

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
          // That a device was added causes no outage.
          const isBefore = Action !== 'Create' && before >= 0 && before <= beforeMs;
          return (
            <li key={audit_id} class={css['change']}>
              <span>
                <Moment at={Timestamp} /> {Action === 'Create' && say.created} <bdi>{Actor}</bdi>
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
function Side({ detail }: { readonly detail: DeviceDetail }) {
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
