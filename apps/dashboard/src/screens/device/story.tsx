import { type Course, linesOf, type MessageLine } from '../../model/alert-story.ts';
import { Mark, type MarkName } from '../../parts/mark.tsx';
import { Moment } from '../../parts/time.tsx';
import type { Alert } from '../../store/alerts.ts';
import { texts } from '../../texts/index.ts';
import css from './story.module.css';

const say = texts.alerts;
const marks: Readonly<Record<Course, MarkName>> = {
  delivered: 'Delivered',
  again: 'Failed',
  failed: 'Failed',
  waiting: 'Planned',
  carried: 'Delivered',
  withdrawn: 'Other',
  recorded: 'Other',
};

/** An attempt to deliver a message with its time and the answer of its receiver, or a message without an attempt. */
export function MessageRow({ line: { at, to, kind, course, answer } }: { readonly line: MessageLine }) {
  return (
    <li class={css['line']}>
      <Moment at={at} />
      <Mark name={marks[course]} />
      <span>
        {say.to}{' '}
        <b>
          <bdi>{to}</bdi>
        </b>
        , “{say.messageKind(kind)}”: {say.courses[course]}
        {answer !== undefined && (
          <span class={css['answer']}>
            <bdi>{answer}</bdi>
          </span>
        )}
      </span>
    </li>
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
              {alert.Notifications.flatMap(linesOf).map((line, at) => (
                <MessageRow key={at} line={line} />
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </section>
  );
}
