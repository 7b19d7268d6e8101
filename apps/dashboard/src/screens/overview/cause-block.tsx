import { useState } from 'preact/hooks';
import type { Cause } from '../../model/causes.ts';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { Since } from '../../parts/time.tsx';
import { type Alert, alerts, type DeviceRow, results } from '../../store/account-state.ts';
import { acknowledge } from '../../store/act.ts';
import { mayOperate } from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import { MaintenanceDialog } from '../device/maintenance-dialog.tsx';
import css from './overview.module.css';

const say = texts.overview;

/** Who was notified of an alert, counted. */
function Notified({ alert }: { readonly alert: Alert }) {
  const states = alert.Notifications.map(({ State }) => State);
  const of = (state: string) => states.filter((each) => each === state).length;
  const line = say.notifications(of('Delivered'), of('Pending'), of('Failed'));
  return <dd>{alert.Reason ?? (line === '' ? say.nobody : line)}</dd>;
}

function Acts({ row, alert }: { readonly row: DeviceRow; readonly alert: Alert | undefined }) {
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  if (!mayOperate.value) return null;
  const take = () => {
    if (alert !== undefined)
      acknowledge([alert.alert_id], '').catch((error: unknown) => setProblem(wordsOf(error)));
  };
  return (
    <div class="buttons">
      {alert?.State === 'Open' && (
        <button type="button" class="button main" onClick={take}>
          {texts.alerts.acknowledge}
        </button>
      )}
      <button type="button" class="button" onClick={() => setAsking(true)}>
        {texts.device.maintenance}
      </button>
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      {isAsking && <MaintenanceDialog id={row.id} name={row.name} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** A device that is Down of itself: why, what is behind it, who was notified. */
export function CauseBlock({ cause: { row, behind } }: { readonly cause: Cause<DeviceRow> }) {
  const alert = alerts.value.find(({ device_id, Kind }) => device_id === row.id && Kind === 'device.down');
  const taken = alert?.Acknowledged;
  return (
    <article class={`${css['cause']} ${taken ? css['taken'] : ''}`} data-device={row.id}>
      <Mark name="Down" word={texts.states.Down} />
      <h2 class={css['lead']}>
        <a href={`/devices/${row.id}`}>
          <bdi>{row.name}</bdi>
        </a>{' '}
        {say.isDown}{' '}
        <span>
          {texts.device.for('').trim()} <Since at={row.sinceMs} />
          {taken && ` · ${say.acknowledgedBy(taken.By, taken.Note)}`}
        </span>
      </h2>
      <Acts row={row} alert={alert} />
      <dl>
        <dt>{say.why}</dt>
        <dd>{results.value.get(row.id) ?? '–'}</dd>
        {behind.length > 0 && (
          <>
            <dt>{say.behind}</dt>
            <dd>
              {say.behindIt(behind.length)}{' '}
              {behind.slice(0, 3).map((each, at) => (
                <span key={each.id}>
                  {at > 0 && ', '}
                  <a class="link" href={`/devices/${each.id}`}>
                    <bdi>{each.name}</bdi>
                  </a>
                </span>
              ))}
              {behind.length > 3 && ` ${say.more(behind.length - 3)}`}
            </dd>
          </>
        )}
        {alert !== undefined && (
          <>
            <dt>{say.notified}</dt>
            <Notified alert={alert} />
          </>
        )}
      </dl>
    </article>
  );
}
