import type { Signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { dayMs } from '@vantage/domain/units';
import { bucketAt } from '../../model/axis-buckets.ts';
import { milliseconds, percent } from '../../model/format.ts';
import { percentile } from '../../model/percentile.ts';
import { bucketFor } from '../../model/time-range.ts';
import { secondsOf } from '../../model/timeline.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { type ReadResult, useRead } from '../../parts/use-read.ts';
import { address, go } from '../../store/address.ts';
import { minute, now, zone } from '../../store/clock.ts';
import { intervalOf } from '../../store/read-report.ts';
import css from './axis.module.css';
import { Axis } from './axis.tsx';
import { frameOf } from './axis-frame.ts';
import { lossRow, phasesRow, stateRow } from './axis-rows.tsx';
import { axisTexts as say } from './axis-texts.ts';
import { spanWords } from './axis-words.ts';
import { BucketTable } from './bucket-table.tsx';
import deviceCss from './device.module.css';
import type { DeviceMark } from './device-marks.ts';
import { addressWith, cursorIn, type DeviceRange } from './range.ts';
import { RangeBar } from './range-bar.tsx';
import { RangeStrip } from './range-strip.tsx';
import { type AxisDevice, readAxis, readCheckOf, type StatusHistory } from './read-axis.ts';
import { StatusSums, statusWords } from './status-sums.tsx';
import { useWidth } from './use-width.ts';

const weekMs = 7 * dayMs;

/** Whether the address has a flag. */
const hasFlag = (name: string) => address.value.query.get(name) === '1';
const setFlag = (name: string, isOn: boolean) =>
  go(addressWith({ [name]: isOn ? '1' : undefined }), { replace: true });

/** Status, phases, loss and marks of a device on one x, with one cursor. */
export function HistorySection({
  device,
  range,
  status,
  marks,
  cursor,
  newestEvent,
  chosen,
  onChoose,
  onPick,
}: {
  readonly device: AxisDevice;
  readonly range: DeviceRange;
  readonly status: ReadResult<StatusHistory>;
  readonly marks: readonly DeviceMark[];
  readonly cursor: Signal<number | undefined>;
  /** The id of the newest event of the device. */
  readonly newestEvent: string | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (mark: DeviceMark) => void;
  readonly onPick: (check: Schemas['Check']) => void;
}) {
  const { element, width } = useWidth();
  const { span } = range;
  const frame = frameOf(span, width);
  const pixels = Math.round(frame.right - frame.left);
  const keys = [device.id, JSON.stringify(range.chosen), width > 0];
  const isLastWeek = hasFlag('week');
  const read = useRead(async () => (width === 0 ? undefined : readAxis(device, span, pixels)), keys, [
    minute.value,
    width > 0 ? bucketFor(span, pixels).name : '',
  ]);
  const before = useRead(
    async () =>
      isLastWeek && width > 0
        ? readAxis(device, { from: span.from - weekMs, to: span.to - weekMs }, pixels)
        : undefined,
    [...keys, isLastWeek],
  );
  const { data } = read;
  // The Locations of the device are known before the data, so that nothing moves when it arrives.
  const names = [...new Set([...device.locations, ...(data?.locations.keys() ?? [])])].sort();
  const withData = names.filter((name) => data?.locations.has(name) === true);
  const asked = address.value.query.get('location') ?? '';
  const location = names.includes(asked) ? asked : (withData[0] ?? names[0]);
  const isCompared = hasFlag('compare');
  const lastWeek = (before.data?.locations.get(location ?? '') ?? []).map((bucket) => ({
    ...bucket,
    from: bucket.from + weekMs,
    to: bucket.to + weekMs,
  }));
  const intervals = (status.data?.intervals ?? []).map((interval) =>
    intervalOf(interval, Math.min(now.value, span.to)),
  );
  const open = status.data?.intervals.find(({ End }) => End === null)?.Status;
  const sinceMs = status.data === undefined ? 0 : Math.min(now.value, span.to) - status.data.readMs;
  const seconds = status.data && secondsOf(status.data.uptime, open, Math.max(0, sinceMs) / 1_000);
  const own = data?.locations.get(location ?? '') ?? [];
  const newest = data?.loss.at(-1)?.from ?? Math.min(span.to, now.value);
  const stepMs =
    data?.bucket === undefined || data.bucket === 'Raw' ? device.periodMs : bucketFor(span, pixels).ms;
  const pick = (at: number) => {
    const bucket = bucketAt(data?.loss ?? [], at) ?? { from: at - stepMs, to: at };
    void readCheckOf(device.id, bucket).then(
      (check) => check !== undefined && onPick(check),
      () => {},
    );
  };
  const medians = own.flatMap(({ median }) => median ?? []);
  const bad = own.reduce((sum, bucket) => sum + bucket.bad, 0);
  const all = own.reduce((sum, bucket) => sum + bucket.bad + bucket.good, 0);
  const label = say.figure(
    spanWords(span, zone.value, undefined),
    statusWords(seconds),
    say.medianIs(milliseconds(percentile(medians, 0.5))),
    say.lossIs(all === 0 ? '–' : percent((bad / all) * 100)),
  );
  return (
    <section aria-label={say.range}>
      <RangeBar range={range} cursor={cursor.value ?? cursorIn(span)}>
        {names.length > 1 && (
          <>
            <select
              aria-label={say.location}
              value={location}
              onChange={({ currentTarget }) =>
                go(addressWith({ location: currentTarget.value }), { replace: true })
              }
            >
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
            <Toggle words={say.compare} isOn={isCompared} onSet={(isOn) => setFlag('compare', isOn)} />
          </>
        )}
        <Toggle words={say.lastWeek} isOn={isLastWeek} onSet={(isOn) => setFlag('week', isOn)} />
      </RangeBar>
      <div ref={element} class={css['space']}>
        {width > 0 && (
          <Axis
            frame={frame}
            rowsAt={(at, hasCursor) => [
              stateRow(frame, intervals, at),
              phasesRow(
                frame,
                data,
                {
                  location,
                  others: isCompared ? withData.filter((name) => name !== location) : [],
                  lastWeek: isLastWeek ? lastWeek : [],
                },
                hasCursor ? at : undefined,
              ),
              lossRow(frame, data, at),
            ]}
            marks={marks}
            newest={newest}
            cursor={cursor}
            chosen={chosen}
            label={label}
            stepMs={stepMs}
            onChoose={onChoose}
            onPick={pick}
            onZoom={(zoom) => range.set(zoom)}
            onBack={range.back}
          />
        )}
      </div>
      <RangeStrip
        deviceId={device.id}
        range={range}
        width={width}
        isReady={status.data !== undefined}
        newest={newestEvent}
      />
      <div class={deviceCss['sumsArea']}>
        {seconds !== undefined && status.data !== undefined && (
          <StatusSums seconds={seconds} outages={status.data.uptime.Outages} />
        )}
        <ReadState read={status} rows={0} />
        <ReadState read={read} rows={0} />
        <ReadState read={before} rows={0} />
      </div>
      <p class={`hint ${css['hint']}`}>
        {data !== undefined && say.hint(say.buckets[data.bucket], zone.value, data.bucket === 'Raw')}
      </p>
      <BucketTable data={data} location={location} frame={frame} />
    </section>
  );
}

function Toggle({
  words,
  isOn,
  onSet,
}: {
  readonly words: string;
  readonly isOn: boolean;
  readonly onSet: (isOn: boolean) => void;
}) {
  return (
    <button type="button" class={`button ${css['chip']}`} aria-pressed={isOn} onClick={() => onSet(!isOn)}>
      {words}
    </button>
  );
}
