import { useState } from 'preact/hooks';
import { iconOf, predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import type { DeviceListRow } from '../../store/account-state.ts';
import type { Alert } from '../../store/alerts.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import css from './alerts.module.css';
import { alertsTexts } from './alerts-texts.ts';
import { BehindList } from './behind-list.tsx';

const say = alertsTexts;

/** The devices that are Down because of an alert's device, in one line that can be opened. */
function Symptoms({ name, behind }: { readonly name: string; readonly behind: readonly DeviceListRow[] }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = behind;
  if (first === undefined) return null;
  return (
    <div class={css['symptoms']}>
      <Icon name="Down" />
      <button
        type="button"
        aria-expanded={isOpen}
        title={say.showSymptoms(behind.length, name)}
        onClick={() => setOpen(!isOpen)}
      >
        <b class="clampName">
          <bdi>{first.name}</bdi>
        </b>{' '}
        {say.symptoms(behind.length)}
      </button>
      <span class={css['why']}>{say.symptomsSay}</span>
      {isOpen && <BehindList behind={behind} />}
    </div>
  );
}

/** An alert in the list of alerts. */
export function AlertLine({
  alert,
  href,
  behind,
  isOpen,
  isChosen,
  onChoose,
}: {
  readonly alert: Alert;
  readonly href: string;
  /** The devices that are Down because of its device. */
  readonly behind: readonly DeviceListRow[];
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const subject = subjectOf(alert);
  const acknowledged = alert.Acknowledged;
  return (
    <li>
      <div class={`${css['line']} ${isOpen ? css['open'] : ''} tapRow`}>
        {onChoose === undefined ? (
          <span />
        ) : (
          <input
            type="checkbox"
            aria-label={say.select(`${subject} ${predicateOf(alert)}`)}
            checked={isChosen}
            onChange={onChoose}
          />
        )}
        <Icon name={iconOf(alert)} />
        <a href={href} aria-current={isOpen ? 'true' : undefined} title={`${subject} ${predicateOf(alert)}`}>
          <b class="clampName">
            <bdi>{subject}</bdi>
          </b>{' '}
          {predicateOf(alert)}
        </a>
        <span class="mute num">
          {alert.Closed === null ? <Since at={alert.Since} /> : <Moment at={alert.Closed} />}
        </span>
        <span class={`clamp ${css['why']}`}>
          {acknowledged === null
            ? (alert.Reason ?? alert.CheckResult)
            : alertTexts.acknowledgedBy(acknowledged.By, acknowledged.Note)}
        </span>
      </div>
      {behind.length > 0 && <Symptoms name={subject} behind={behind} />}
    </li>
  );
}
