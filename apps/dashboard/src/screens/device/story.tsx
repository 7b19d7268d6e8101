import { Mark, type MarkName } from '../../parts/mark.tsx';
import { Moment } from '../../parts/time.tsx';
import type { Alert } from '../../store/alerts.ts';
import { texts } from '../../texts/index.ts';
import css from './story.module.css';

const say = texts.alerts;
const marks: Readonly<Record<Alert['Notifications'][number]['State'], MarkName>> = {
  Delivered: 'Delivered',
  Failed: 'Failed',
  Pending: 'Planned',
  Withdrawn: 'Other',
  Shadow: 'Other',
};

/** Each message of an alert: to whom, and how it went. */
export function Messages({ alert }: { readonly alert: Alert }) {
  return (
    <>
      {alert.Notifications.map(({ contact_id, Name, Kind, At, State, Attempts }) => (
        <li key={`${contact_id}${Kind}${At}`} class={css['line']}>
          <Moment at={At} />
          <Mark name={marks[State]} />
          <span>
            <b>
              <bdi>{Name}</bdi>
            </b>{' '}
            <span class="mute">
              {Kind}, {say.states[State]}
              {Attempts.length > 0 && ` ${say.attempts(Attempts.length)}`}
            </span>
          </span>
        </li>
      ))}
    </>
  );
}

/** Who was notified of a device's alerts, and how it went. */
export function Story({ alerts }: { readonly alerts: readonly Alert[] }) {
  const told = alerts.filter(
    ({ Notifications, Acknowledged }) => Notifications.length > 0 || Acknowledged !== null,
  );
  return (
    <section class="section">
      <h2>{texts.device.notified}</h2>
      {told.length === 0 && <p class="mute">{texts.device.nobodyNotified}</p>}
      <ol>
        {told.map((alert) => (
          <li key={alert.alert_id}>
            <ol>
              {alert.Acknowledged !== null && (
                <li class={css['line']}>
                  <Moment at={alert.Acknowledged.At} />
                  <Mark name="Other" />
                  <span>{texts.overview.acknowledgedBy(alert.Acknowledged.By, alert.Acknowledged.Note)}</span>
                </li>
              )}
              <Messages alert={alert} />
            </ol>
          </li>
        ))}
      </ol>
    </section>
  );
}
