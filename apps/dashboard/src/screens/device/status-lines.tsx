import type { Schemas } from '@vantage/client';
import { isReceived } from '@vantage/domain/method';
import { consequenceOf } from '../../model/consequence.ts';
import { briefly } from '../../model/format.ts';
import { nextCheckWithin } from '../../model/next-check.ts';
import { StateWord } from '../../parts/icon.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { type DeviceListRow, locations, rows } from '../../store/account-state.ts';
import { now } from '../../store/clock.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import type { DeviceDetail } from './read-detail.ts';

/** The time within which the next check is due. */
function NextCheck({ detail: { device, checks } }: { readonly detail: DeviceDetail }) {
  const seconds = nextCheckWithin(device, checks[0]?.Timestamp, now.value);
  return <p class="hint">{seconds === undefined ? '' : say.nextWithin(briefly(seconds))}</p>;
}

/** Why the status is as it is, and what it means for others. */
function Consequence({
  detail: { device },
  row,
}: {
  readonly detail: DeviceDetail;
  readonly row: DeviceListRow | undefined;
}) {
  const { cause, behind } = consequenceOf(device.device_id, rows.value);
  if (cause !== undefined)
    return (
      <>
        {say.because}{' '}
        <a class="link" href={`/devices/${cause.id}`}>
          <bdi>{cause.name}</bdi>
        </a>{' '}
        {say.becauseDown}
      </>
    );
  if (behind > 0) return <>{say.behindDown(behind)}</>;
  if (!device.Enabled) return <>{say.pausedWhy}</>;
  const running = device.Maintenance.find(({ Start }) => Date.parse(Start) <= now.value);
  if (row?.state === 'Maint' && running !== undefined)
    return (
      <>
        {say.maintUntil} <Moment at={running.End} />
        {running.Reason !== null && `: ${running.Reason}`}
        {running.By !== null && `, ${say.byPerson(running.By)}`}
      </>
    );
  if (row?.state !== 'Unknown') return null;
  const offline = locations.value.filter(({ Name, Online }) => !Online && device.Locations.includes(Name));
  return (
    <>{offline.length === 0 ? say.unknownWhy : say.offlineWhy(offline.map(({ Name }) => Name).join(', '))}</>
  );
}

/** The contacts that were notified of the open alert, and its acknowledgement. */
function Told({ alert }: { readonly alert: Schemas['Alert'] | undefined }) {
  if (alert === undefined) return null;
  const { Acknowledged, Notifications } = alert;
  if (Acknowledged !== null)
    return (
      <>
        {say.acknowledgedBy(Acknowledged.By)} <Moment at={Acknowledged.At} />
        {Acknowledged.Note !== '' && Acknowledged.Note !== null && `: “${Acknowledged.Note}”`}
      </>
    );
  const told = Notifications.flatMap(({ Name, Attempts, State }) => {
    const last = Attempts.at(-1);
    return State === 'Delivered' && last !== undefined ? [{ Name, at: last.At }] : [];
  });
  const [first] = told;
  if (first === undefined) return null;
  return (
    <>
      {say.notifiedAt(first.Name ?? '')} <Moment at={first.at} />
      {told.length > 1 && ` ${say.andOthers(told.length - 1)}`}. {say.nobodyYet}
    </>
  );
}

/** The first sentences of the screen: the status, its cause and consequence, its result, and who knows of it. */
export function StatusLines({
  row,
  detail,
}: {
  readonly row: DeviceListRow | undefined;
  readonly detail: DeviceDetail;
}) {
  const { device, alerts } = detail;
  const state = row?.state ?? device.Status;
  const open = alerts.find(({ Closed, Kind }) => Closed === null && Kind.startsWith('device.'));
  return (
    <div class={css['say']}>
      <p class={css['state']}>
        <StateWord state={state}>
          {deviceWords.for} <Since at={row?.sinceMs ?? device.StatusSince} full />
        </StateWord>
      </p>
      <p class={css['result']}>{device.LastCheckResult}</p>
      <p class={css['consequence']}>
        <Consequence detail={detail} row={row} />
      </p>
      <p class="mute">
        <Told alert={open} />
      </p>
      {!isReceived(device.Method) && <NextCheck detail={detail} />}
    </div>
  );
}
