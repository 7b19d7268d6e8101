import type { JSX } from 'preact';
import { trendPath } from '../../model/device-figures.ts';
import { exactTime, milliseconds, percent } from '../../model/format.ts';
import type { ColumnName } from '../../model/list-columns.ts';
import { DayBar } from '../../parts/day-bar.tsx';
import { StateWord } from '../../parts/icon.tsx';
import { Since } from '../../parts/time.tsx';
import { type DeviceListRow, devices } from '../../store/account-state.ts';
import { useFigures } from '../../store/device-figures.ts';
import { deviceSettings, scheduleNames } from '../../store/device-settings.ts';
import { whyOf } from '../../store/overview-facts.ts';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';

interface CellProps {
  readonly row: DeviceListRow;
}

const none = '–';

function NameCell({ row }: CellProps) {
  const master = row.downBecause === null ? undefined : devices.value.get(row.downBecause);
  const other = row.shortName === row.name ? '' : row.shortName;
  const why =
    row.state === 'Down' || row.state === 'Retrying' || row.state === 'Partial' ? whyOf(row.id) : undefined;
  return (
    <>
      <a href={`/devices/${row.id}`} title={row.name}>
        <bdi>{row.name}</bdi>
      </a>
      <span class={css['small']}>{master === undefined ? other : say.behind(master.shortName)}</span>
      {why !== undefined && (
        <span class={css['small']} title={why}>
          {why}
        </span>
      )}
    </>
  );
}

/** The response time of the last check, if it was good. */
function LastTime({ row: { lastCheck } }: CellProps) {
  const isKnown = lastCheck?.isGood === true && lastCheck.ms > 0;
  return (
    <span title={lastCheck === null ? undefined : exactTime(lastCheck.at)}>
      {milliseconds(isKnown ? lastCheck.ms : null)}
    </span>
  );
}

function locationWords({ locations: [first = '', ...others] }: DeviceListRow): string {
  return others.length === 0 ? first : `${first} +${others.length}`;
}

function Uptime({ row }: CellProps) {
  const figures = useFigures(row.id);
  const isMeaningful = figures !== undefined && figures.uptime !== null && figures.observed >= 0.01;
  if (!isMeaningful || figures.uptime === null) return <span>{none}</span>;
  return <span title={say.uptimeOf(figures.observed)}>{percent(figures.uptime)}</span>;
}

function P95({ row }: CellProps) {
  return <span>{milliseconds(useFigures(row.id)?.p95)}</span>;
}

function Loss({ row }: CellProps) {
  const loss = useFigures(row.id)?.loss ?? null;
  if (loss === null) return <span>{none}</span>;
  const words = loss > 0 && loss < 0.1 ? '< 0.1' : loss.toFixed(loss < 10 && loss > 0 ? 1 : 0);
  return <span class={loss > 0 ? css['some'] : undefined}>{words}&nbsp;%</span>;
}

const box = { width: 72, height: 14 };

function Trend({ row }: CellProps) {
  const trend = useFigures(row.id)?.trend ?? [];
  if (trend.length === 0) return <span>{none}</span>;
  const times = trend.map(({ ms }) => ms);
  const label = say.trendOf(milliseconds(Math.min(...times)), milliseconds(Math.max(...times)));
  return (
    <svg
      class={css['trend']}
      viewBox={`-1 -1 ${box.width + 2} ${box.height + 2}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <path d={trendPath(trend, box)} fill="none" />
    </svg>
  );
}

function TagList({ row: { tags } }: CellProps) {
  return (
    <span class={css['tags']} title={tags.join(', ')}>
      {tags[0] !== undefined && <span class="tag">{tags[0]}</span>}
      {tags.length > 1 && <span class={css['small']}>+{tags.length - 1}</span>}
    </span>
  );
}

/** A long text on one line. */
function Text({ words }: { readonly words: string | null | undefined }) {
  return <bdi title={words ?? undefined}>{words ?? none}</bdi>;
}

const settingsOf = ({ id }: DeviceListRow) => deviceSettings.value?.get(id);

function MasterCell({ row }: CellProps) {
  const id = settingsOf(row)?.device_master_id ?? null;
  return <Text words={id === null ? none : devices.value.get(id)?.name} />;
}

function ScheduleCell({ row }: CellProps) {
  const settings = settingsOf(row);
  const ids = [settings?.nschedule_id ?? null, settings?.mschedule_id ?? null];
  const names = ids.flatMap((id) => (id === null ? [] : (scheduleNames.value.get(id) ?? [])));
  return <Text words={names.length === 0 ? none : names.join(', ')} />;
}

function FrequencyCell({ row }: CellProps) {
  const settings = settingsOf(row);
  if (settings === undefined) return <span>{none}</span>;
  const { Frequency, FrequencySeconds } = settings;
  return <span>{FrequencySeconds === null ? `${Frequency} min` : `${FrequencySeconds} s`}</span>;
}

function Checked({ row: { lastCheck } }: CellProps) {
  return lastCheck === null ? <span>{none}</span> : <Since at={lastCheck.at} />;
}

/** The content of each column. */
export const cells: Readonly<Record<ColumnName, (props: CellProps) => JSX.Element>> = {
  status: ({ row }) => (
    <StateWord state={row.state}>
      <Since at={row.sinceMs} />
    </StateWord>
  ),
  device: NameCell,
  url: ({ row }) => <Text words={settingsOf(row)?.URL} />,
  method: ({ row }) => <span>{row.method}</span>,
  severity: ({ row }) => <span>{row.severity}</span>,
  day: DayBar,
  uptime: Uptime,
  last: LastTime,
  p95: P95,
  loss: Loss,
  trend: Trend,
  checked: Checked,
  frequency: FrequencyCell,
  master: MasterCell,
  schedule: ScheduleCell,
  source: ({ row }) => <Text words={settingsOf(row)?.Source} />,
  location: ({ row }) => <Text words={locationWords(row)} />,
  tag: TagList,
};
