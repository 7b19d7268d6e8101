import { foldAttempts, messagesOf } from '../../model/alert-story.ts';
import { Icon } from '../../parts/icon.tsx';
import row from '../../parts/message-row.module.css';
import { MessageRow, RepeatedAttempts } from '../../parts/message-row.tsx';
import { Moment } from '../../parts/time.tsx';
import type { Alert } from '../../store/alerts.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { deviceTexts } from './device-texts.ts';

/** The messages about a device's alerts and who acknowledged them. */
export function NotifiedSection({ alerts }: { readonly alerts: readonly Alert[] }) {
  const shown = alerts.filter(
    ({ Notifications, Acknowledged }) => Notifications.length > 0 || Acknowledged !== null,
  );
  return (
    <section class="section">
      <h2>{deviceTexts.notified}</h2>
      {shown.length === 0 && <p class="mute">{deviceTexts.noneNotified}</p>}
      <ol>
        {shown.map((alert) => (
          <li key={alert.alert_id}>
            <ol>
              {alert.Acknowledged !== null && (
                <li class={row['line']}>
                  <Moment at={alert.Acknowledged.At} />
                  <Icon name="Other" />
                  <span>{alertTexts.acknowledgedBy(alert.Acknowledged.By, alert.Acknowledged.Note)}</span>
                </li>
              )}
              {foldAttempts(messagesOf(alert)).map((line, index) =>
                line.what === 'attempts' ? (
                  <RepeatedAttempts key={index} lines={line.lines} />
                ) : (
                  <MessageRow key={index} line={line} />
                ),
              )}
            </ol>
          </li>
        ))}
      </ol>
    </section>
  );
}
