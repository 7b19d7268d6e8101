import { Mark, type MarkName } from '../../parts/mark.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { devices } from '../../store/account-state.ts';
import type { Alert } from '../../store/alerts.ts';
import { texts } from '../../texts/index.ts';
import css from './alerts.module.css';

const say = texts.alerts;

/** Alerts whose text says what they are about. */
const noSubject: ReadonlySet<string> = new Set([
  'contact.failing',
  'late.summary',
  'clock.wrong',
  'disk.low',
  'backup.old',
  'database.back',
  'certificate.failing',
  'key.missing',
]);

/** Of what an alert is: the device, or the Location. */
export function subjectOf({ device_id, ShortName, Location, Kind }: Alert): string {
  if (noSubject.has(Kind)) return '';
  const device = device_id === null ? undefined : devices.value.get(device_id);
  return device?.name ?? ShortName ?? Location ?? '';
}

/** The mark of what an alert is about. */
export function markOf({ Kind }: Alert): MarkName {
  if (Kind === 'device.down' || Kind === 'device.flapping' || Kind === 'anchor.down') return 'Down';
  if (Kind === 'device.partial') return 'Partial';
  if (Kind === 'location.offline' || Kind === 'agent.fenced') return 'Offline';
  if (Kind === 'contact.failing') return 'Failed';
  return 'Other';
}

/** An alert in the list. */
export function AlertLine({
  alert,
  isOpen,
  isChosen,
  onChoose,
}: {
  readonly alert: Alert;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const subject = subjectOf(alert);
  const taken = alert.Acknowledged;
  return (
    <li class={`${css['line']} ${isOpen ? css['open'] : ''}`}>
      {onChoose === undefined ? (
        <span />
      ) : (
        <input
          type="checkbox"
          aria-label={say.select(`${subject} ${say.kinds[alert.Kind]}`)}
          checked={isChosen}
          onChange={onChoose}
        />
      )}
      <Mark name={markOf(alert)} />
      <a
        class="clamp"
        href={`/alerts/${alert.alert_id}`}
        aria-current={isOpen ? 'true' : undefined}
        title={`${subject} ${say.kinds[alert.Kind]}`}
      >
        <b>
          <bdi>{subject}</bdi>
        </b>{' '}
        {say.kinds[alert.Kind]}
      </a>
      <span class="mute num">
        {alert.Closed === null ? <Since at={alert.Since} /> : <Moment at={alert.Closed} />}
      </span>
      <span class={`clamp ${css['why']}`}>
        {taken === null
          ? (alert.Reason ?? alert.CheckResult)
          : texts.overview.acknowledgedBy(taken.By, taken.Note)}
      </span>
    </li>
  );
}
