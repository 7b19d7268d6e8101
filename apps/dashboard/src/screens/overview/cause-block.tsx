import type { Cause } from '../../model/causes.ts';
import { notifiedOf } from '../../model/notified.ts';
import { Icon } from '../../parts/icon.tsx';
import { MaintenanceDialog } from '../../parts/maintenance-dialog.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { type DeviceListRow, devices } from '../../store/account-state.ts';
import { type Alert, alertOfDevice } from '../../store/alerts.ts';
import { mayOperate } from '../../store/credential.ts';
import { whyOf } from '../../store/overview-facts.ts';
import type { CauseDetail } from '../../store/read-causes.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { listed } from '../../texts/counted.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './overview.module.css';
import { overviewTexts as say } from './overview-texts.ts';

/** The actions of buttons and keys on a cause. */
interface CauseActionsOf {
  readonly acknowledge: (id: string) => void;
  readonly snooze: (id: string) => void;
  readonly maintain: (id: string) => void;
}

/** Why the device is Down: its last result, how it was found, and how rare that is. */
function Why({ id, detail }: { readonly id: string; readonly detail: CauseDetail | undefined }) {
  return (
    <dd>
      <bdi>{whyOf(id) ?? '–'}</bdi>
      {detail !== undefined && (
        <span>
          {' · '}
          {say.by(detail.method, detail.locations)}
          {detail.confirmed !== undefined && (
            <>
              {' · '}
              {say.confirmed} <Moment at={detail.confirmed} />
              {detail.retries !== undefined && ` ${say.retries(detail.retries)}`}
            </>
          )}
          {detail.rank !== undefined && ` · ${say.rank(detail.rank)}`}
        </span>
      )}
    </dd>
  );
}

/** The devices that fell with it, and those that were not checked since. */
function Behind({
  cause: { row, behind },
  detail,
  href,
}: {
  readonly cause: Cause<DeviceListRow>;
  readonly detail: CauseDetail | undefined;
  readonly href: string;
}) {
  const waiting = (detail?.dependents ?? []).filter((id) => {
    const device = devices.value.get(id);
    if (device?.status !== 'Up' || !device.isEnabled) return false;
    return device.lastCheck === null || Date.parse(device.lastCheck.at) < row.sinceMs;
  });
  if (behind.length === 0 && waiting.length === 0) return null;
  return (
    <>
      <dt>{say.behind}</dt>
      <dd>
        {behind.length > 0 && (
          <>
            {say.behindIt(behind.length)}{' '}
            {behind.slice(0, 3).map(({ id, name }, index) => (
              <bdi key={id}>
                {index > 0 && ', '}
                <a class="link" href={`/devices/${id}`}>
                  {name}
                </a>
              </bdi>
            ))}{' '}
            {behind.length > 3 && (
              <a class="link" href={href}>
                {say.moreBehind(behind.length - 3)}
              </a>
            )}
          </>
        )}
        {waiting.length > 0 && (
          <span>
            {behind.length > 0 && ' · '}
            {say.notChecked(waiting.length)}
          </span>
        )}
      </dd>
    </>
  );
}

/** The names of the notified contacts and of the next one. */
function WhoIsNotified({
  alert,
  detail,
}: {
  readonly alert: Alert;
  readonly detail: CauseDetail | undefined;
}) {
  const { delivered, firstAt, waiting, failed } = notifiedOf(alert.Notifications);
  const next = alert.State === 'Acknowledged' ? undefined : detail?.next;
  const isNone = delivered.length + waiting.length + failed.length === 0;
  const rest = [
    ...(waiting.length > 0 ? [say.onTheWay(waiting)] : []),
    ...(failed.length > 0 ? [say.failed(failed)] : []),
  ];
  return (
    <dd>
      {isNone && (alert.Reason ?? say.noneNotified)}
      {delivered.length > 0 && (
        <>
          <bdi>{listed(delivered)}</bdi> {say.at} {firstAt !== undefined && <Moment at={firstAt} />},{' '}
          {say.delivered}
        </>
      )}
      {rest.map((words, at) => (
        <span key={words}>
          {(at > 0 || delivered.length > 0) && ' · '}
          {words}
        </span>
      ))}
      {next !== undefined && (
        <span>
          {' · '}
          {say.next(next.to)} {say.at} <Moment at={next.at} /> {say.unless}
        </span>
      )}
    </dd>
  );
}

function CauseActions({
  row,
  alert,
  isChosen,
  problem,
  actions,
}: {
  readonly row: DeviceListRow;
  readonly alert: Alert | undefined;
  readonly isChosen: boolean;
  readonly problem: string | undefined;
  readonly actions: CauseActionsOf;
}) {
  if (!mayOperate.value) return null;
  return (
    <div class="buttons">
      {alert?.State === 'Open' && (
        <>
          <button type="button" class="button main" onClick={() => actions.acknowledge(row.id)}>
            {alertTexts.acknowledge} {isChosen && <kbd>e</kbd>}
          </button>
          <button type="button" class="button" onClick={() => actions.snooze(row.id)}>
            {say.snooze} {isChosen && <kbd>s</kbd>}
          </button>
        </>
      )}
      <button type="button" class="button" onClick={() => actions.maintain(row.id)}>
        {deviceWords.maintenance} {isChosen && <kbd>m</kbd>}
      </button>
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

/** A device that is Down by itself: why, the devices behind it, and who was notified. */
export function CauseBlock({
  cause,
  detail,
  isChosen,
  isAsking,
  onAsked,
  problem,
  actions,
  onChoose,
}: {
  readonly cause: Cause<DeviceListRow>;
  /** undefined: not read, because there are many causes. */
  readonly detail: CauseDetail | undefined;
  /** The keys act on it. */
  readonly isChosen: boolean;
  /** The dialog for maintenance is open. */
  readonly isAsking: boolean;
  readonly onAsked: () => void;
  readonly problem: string | undefined;
  readonly actions: CauseActionsOf;
  readonly onChoose: () => void;
}) {
  const { row } = cause;
  const alert = alertOfDevice.value.get(row.id);
  const acknowledged = alert?.Acknowledged;
  const classes = [css['cause'], acknowledged ? css['acknowledged'] : ''];
  return (
    <article class={classes.join(' ')} data-device={row.id} onFocusIn={onChoose}>
      <Icon name="Down" word={deviceWords.states.Down} />
      <h2 class={css['lead']}>
        <a class="clampName" href={`/devices/${row.id}`}>
          <bdi>{row.name}</bdi>
        </a>{' '}
        {say.isDown}{' '}
        <span>
          {deviceWords.for} <Since at={row.sinceMs} />
          {acknowledged && ` · ${alertTexts.acknowledgedBy(acknowledged.By, acknowledged.Note)}`}
        </span>
      </h2>
      <CauseActions row={row} alert={alert} isChosen={isChosen} problem={problem} actions={actions} />
      <dl>
        <dt>{say.why}</dt>
        <Why id={row.id} detail={detail} />
        <Behind
          cause={cause}
          detail={detail}
          href={alert === undefined ? '/devices?q=status:down' : `/alerts/${alert.alert_id}`}
        />
        {alert !== undefined && (
          <>
            <dt>{say.notified}</dt>
            <WhoIsNotified alert={alert} detail={detail} />
          </>
        )}
      </dl>
      {isAsking && <MaintenanceDialog id={row.id} name={row.name} onClose={onAsked} />}
    </article>
  );
}
