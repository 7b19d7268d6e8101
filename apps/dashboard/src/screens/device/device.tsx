import { useSignal } from '@preact/signals';
import { isReceived } from '@vantage/domain/method';
import { useEffect, useState } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { type ReadResult, useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { type DeviceListRow, events, rows } from '../../store/account-state.ts';
import { go, listAddress, listFilter } from '../../store/address.ts';
import { isNotFound } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { CheckList } from './check-list.tsx';
import css from './device.module.css';
import { DeviceActions } from './device-actions.tsx';
import { marksOf } from './device-marks.ts';
import { DeviceSettings } from './device-settings.tsx';
import { deviceTexts } from './device-texts.ts';
import { EventsSection } from './events-section.tsx';
import { HeartbeatSection } from './heartbeat-section.tsx';
import { HistorySection } from './history-section.tsx';
import { MarksSection } from './marks-section.tsx';
import { NotifiedSection } from './notified-section.tsx';
import { OutagesSection } from './outages-section.tsx';
import { PathsSection } from './paths-section.tsx';
import { PortsSection } from './ports-section.tsx';
import { spanToRead, useRange } from './range.ts';
import { readCheckOf, readMarks, readStatusHistory } from './read-axis.ts';
import { type Check, type DeviceDetail, deviceName, readDetail } from './read-detail.ts';
import { StatusLines } from './status-lines.tsx';
import { ValuesSection } from './values-section.tsx';

const say = deviceTexts;

/** The link to the list of devices, with its last filter. */
function BackLink() {
  const filter = listFilter.value;
  return (
    <a class="link cut" href={listAddress.value}>
      {filter === '' ? say.back : say.backTo(filter)}
    </a>
  );
}

/** A device that does not exist. `name` is known if it was deleted while its screen was open. */
function DeletedDevice({ name }: { readonly name: string | undefined }) {
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

/** A device: its status now and over time, its checks, and who was notified. */
export function DeviceScreen({ id }: ScreenProps) {
  const newest = events.value.find(({ device_id }) => device_id === id)?.event_id;
  const row = rows.value.find((device) => device.id === id);
  // A device that is no longer in the list may be deleted. The next read shows it.
  // A change is in the row before its event arrives, also when it was undone.
  const read = useRead(() => readDetail(id), [id], [newest, row === undefined, row?.isEnabled, row?.status]);
  const { data, problem, again } = read;
  useKeys({ Escape: () => go(listAddress.value) });
  useEffect(() => {
    // New checks have no event.
    const timer = setInterval(() => document.hidden || again(), 15_000);
    return () => clearInterval(timer);
  }, [id]);
  if (isNotFound(problem)) return <DeletedDevice name={data && deviceName(data)} />;
  if (data === undefined)
    return (
      <div class="page">
        <ReadState read={read} rows={8} title={frameTexts.screens.devices} />
      </div>
    );
  return <KnownDevice key={id} id={id} row={row} read={read} data={data} newest={newest} />;
}

/** The screen of a device that is there. */
function KnownDevice({
  id,
  row,
  read,
  data,
  newest,
}: {
  readonly id: string;
  readonly row: DeviceListRow | undefined;
  readonly read: ReadResult<DeviceDetail>;
  readonly data: DeviceDetail;
  readonly newest: string | undefined;
}) {
  const { device } = data;
  const { again } = read;
  const [picked, setPicked] = useState<Check>();
  const [chosen, setChosen] = useState<string>();
  const cursor = useSignal<number>();
  const range = useRange(Date.parse(device.CreatedAt));
  const keys = [id, JSON.stringify(range.chosen)];
  const status = useRead(() => readStatusHistory(id, range.span), keys, [newest, minute.value]);
  const markRead = useRead(() => readMarks(id, spanToRead(range)), keys, [
    newest,
    minute.value,
    device.UpdatedAt,
  ]);
  const axisDevice = {
    id,
    locations: device.Locations,
    periodMs: (device.FrequencySeconds ?? device.Frequency * 60) * 1_000,
  };
  const marks = marksOf(markRead.data?.marks ?? [], status.data?.outages ?? []);
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
          <StatusLines row={row} detail={data} />
        </div>
        <DeviceActions detail={data} again={again} />
      </div>
      {isReceived(device.Method) && <HeartbeatSection device={device} newest={newest} />}
      <HistorySection
        device={axisDevice}
        range={range}
        status={status}
        marks={marks}
        cursor={cursor}
        newestEvent={newest}
        chosen={chosen}
        onChoose={({ key }) => setChosen(key)}
        onPick={setPicked}
      />
      {device.Method === 'SNMP' && <PortsSection checks={data.checks} />}
      <ValuesSection
        device={axisDevice}
        expected={data.checks.find(({ Values }) => Values !== undefined)?.Values?.length ?? 0}
        range={range}
        marks={marks}
        cursor={cursor}
        chosen={chosen}
        onChoose={({ key }) => setChosen(key)}
        onPick={(at, stepMs) => {
          const bucket = { from: at - stepMs, to: at };
          void readCheckOf(id, bucket).then(
            (check) => check !== undefined && setPicked(check),
            () => {},
          );
        }}
      />
      <div class={css['columns']}>
        <div class={css['body']}>
          <MarksSection
            device={{ id, name: deviceName(data) }}
            marks={marks}
            hasMore={markRead.data?.hasMore ?? false}
            chosen={chosen}
            onChoose={({ key }) => setChosen(key)}
            again={markRead.again}
          />
          <ReadState read={markRead} rows={0} />
          <CheckList
            deviceId={id}
            locations={device.Locations}
            checks={data.checks}
            picked={picked}
            range={range}
          />
          <NotifiedSection alerts={data.alerts} />
          <OutagesSection
            deviceId={id}
            newest={newest}
            onShow={({ outage_id, Start, Seconds }) => {
              const [start, length] = [Date.parse(Start), Math.max(600_000, Seconds * 1_000)];
              range.set({ from: start - length, to: start + 2 * length });
              setChosen(outage_id);
            }}
          />
          <EventsSection deviceId={id} range={range} newest={newest} />
          {!isReceived(device.Method) && <PathsSection deviceId={id} newest={newest} />}
        </div>
        <aside class={css['side']}>
          <DeviceSettings detail={data} again={again} />
        </aside>
      </div>
    </div>
  );
}
