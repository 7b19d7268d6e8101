import { markOf, subjectOf } from '../../parts/alert-subject.ts';
import { Mark } from '../../parts/mark.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import type { Alert } from '../../store/alerts.ts';
import { texts } from '../../texts/index.ts';
import css from './alerts.module.css';

const say = texts.alerts;

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
        href={`/alerts/${alert.alert_id}`}
        aria-current={isOpen ? 'true' : undefined}
        title={`${subject} ${say.kinds[alert.Kind]}`}
      >
        <b class="clampName">
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
