import { computed } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type DayPiece, piecesOf } from '../../model/calendar.ts';
import { type ClockChange, type DayAxis, dayAxis, momentAt, positionAt } from '../../model/day-axis.ts';
import { timeOfMinutes, wallTime } from '../../model/zoned.ts';
import { now, zone } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { dayHeadWords, stageOf, windowTitle } from './window-words.ts';

const say = maintenanceTexts;
/** The present time to the minute: the columns are not drawn again each second. */
const presentMinute = computed(() => Math.floor(now.value / 60_000) * 60_000);
/** The step of drawing with a pointer, minutes. */
const stepMinutes = 15;
const percentOf = (position: number, axis: DayAxis) => `${(position / axis.minutes) * 100}%`;

/** A drawn span: its local start, and its length in elapsed minutes. */
interface Drawn {
  readonly start: string;
  readonly minutes: number;
}

function WindowBlock({
  piece: { item, from, to, lane, lanes },
  axis,
  onOpen,
}: {
  readonly piece: DayPiece<CalendarWindow>;
  readonly axis: DayAxis;
  readonly onOpen: (window: CalendarWindow) => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // The page's policy forbids style attributes in the document.
    const { style } = button.current ?? {};
    style?.setProperty('top', percentOf(from, axis));
    style?.setProperty('height', percentOf(to - from, axis));
    style?.setProperty('left', `${(lane / lanes) * 100}%`);
    style?.setProperty('width', `${100 / lanes}%`);
  });
  const stage = stageOf(item, now.value);
  return (
    <button
      ref={button}
      type="button"
      class={`${css['block']} ${stage === 'planned' ? '' : css[stage]}`}
      onClick={() => onOpen(item)}
    >
      <bdi>{windowTitle(item)}</bdi>
      <span class={css['blockMore']}>
        {wallTime(zone.value, item.fromMs).slice(11)}
        {item.row !== undefined && `, ${say.devices(item.row.DeviceCount)}`}
      </span>
    </button>
  );
}

/** The position of a pointer in a column. */
function positionOf(event: PointerEvent, column: HTMLElement, axis: DayAxis): number {
  const { top, height } = column.getBoundingClientRect();
  const position = ((event.clientY - top) / height) * axis.minutes;
  return Math.min(axis.minutes, Math.max(0, Math.round(position / stepMinutes) * stepMinutes));
}

/**
 * The span between two moments. A start in an hour that the clocks repeat is moved to its end, because a local time
 * means the first one.
 */
function drawnSpan(fromMs: number, toMs: number, change: ClockChange | undefined): Drawn {
  const repeatedMs =
    change?.kind === 'second' ? (change.toMinute - change.fromMinute) * 60_000 : Number.NEGATIVE_INFINITY;
  const endMs = (change?.atMs ?? 0) + repeatedMs;
  const startMs = fromMs >= (change?.atMs ?? 0) && fromMs < endMs ? endMs : fromMs;
  return { start: wallTime(zone.value, startMs), minutes: (toMs - startMs) / 60_000 };
}

function useDrawing(date: string, axis: DayAxis, onDraw: (drawn: Drawn) => void) {
  const [span, setSpan] = useState<{ readonly from: number; readonly to: number }>();
  const outline = useRef<HTMLDivElement>(null);
  const [first, last] =
    span === undefined ? [0, 0] : [Math.min(span.from, span.to), Math.max(span.from, span.to)];
  useLayoutEffect(() => {
    outline.current?.style.setProperty('top', percentOf(first, axis));
    outline.current?.style.setProperty('height', percentOf(last - first, axis));
  });
  const begin = (event: PointerEvent) => {
    const column = event.currentTarget;
    if (!mayOperate.value || event.button !== 0 || event.pointerType === 'touch') return;
    if (!(column instanceof HTMLElement) || event.target !== column) return;
    column.setPointerCapture(event.pointerId);
    const position = positionOf(event, column, axis);
    setSpan({ from: position, to: position });
  };
  const move = (event: PointerEvent) => {
    if (span !== undefined && event.currentTarget instanceof HTMLElement)
      setSpan({ from: span.from, to: positionOf(event, event.currentTarget, axis) });
  };
  const end = () => {
    setSpan(undefined);
    const [fromMs, toMs] = [momentAt(axis, date, first), momentAt(axis, date, last)];
    const drawn = drawnSpan(fromMs, toMs, axis.changes.get(date));
    if (drawn.minutes > 0) onDraw(drawn);
  };
  return { outline, isDrawing: span !== undefined && last > first, begin, move, end };
}

/** The lines of every fourth hour, and the hour that a day lacks or has twice. */
function ColumnLines({ axis, date }: Pick<ColumnProps, 'axis' | 'date'>) {
  const change = axis.changes.get(date);
  const band = change?.kind === 'missing' ? { from: change.fromMinute, to: change.toMinute } : axis.second;
  return (
    <svg class={css['lines']} viewBox={`0 0 1 ${axis.minutes}`} preserveAspectRatio="none" aria-hidden="true">
      {band !== undefined && (
        <rect
          class={change?.kind === 'second' ? css['secondHour'] : css['noHour']}
          x="0"
          y={band.from}
          width="1"
          height={band.to - band.from}
        />
      )}
      {hours.map((hour) => {
        const y = axis.positionOf(hour * 60);
        return <line key={hour} class={css['hourLine']} x1="0" x2="1" y1={y} y2={y} />;
      })}
    </svg>
  );
}

/** The line of the present time. */
function NowLine({ axis, date }: Pick<ColumnProps, 'axis' | 'date'>) {
  const line = useRef<HTMLDivElement>(null);
  const position = positionAt(axis, date, presentMinute.value);
  useLayoutEffect(() => line.current?.style.setProperty('top', percentOf(position, axis)));
  return <div ref={line} class={css['nowLine']} />;
}

/** The words of a clock change, at its hour. */
function ChangeNote({ axis, change }: { readonly axis: DayAxis; readonly change: ClockChange }) {
  const note = useRef<HTMLParagraphElement>(null);
  const from = change.kind === 'second' ? axis.second?.from : change.fromMinute;
  useLayoutEffect(() => note.current?.style.setProperty('top', percentOf(from ?? 0, axis)));
  return (
    <p ref={note} class={css['changeNote']}>
      {say.clockChange[change.kind](timeOfMinutes(change.fromMinute), timeOfMinutes(change.toMinute))}
    </p>
  );
}

interface ColumnProps {
  readonly date: string;
  readonly axis: DayAxis;
  readonly isToday: boolean;
  readonly windows: readonly CalendarWindow[];
  readonly onOpen: (window: CalendarWindow) => void;
  readonly onDraw: (drawn: Drawn) => void;
}

function DayColumn({ date, axis, isToday, windows, onOpen, onDraw }: ColumnProps) {
  const { outline, isDrawing, begin, move, end } = useDrawing(date, axis, onDraw);
  const change = axis.changes.get(date);
  return (
    <div class={css['column']} onPointerDown={begin} onPointerMove={move} onPointerUp={end}>
      <ColumnLines axis={axis} date={date} />
      {change !== undefined && <ChangeNote axis={axis} change={change} />}
      {piecesOf(windows, date, axis).map((piece) => (
        <WindowBlock
          key={`${piece.item.fromMs}${piece.item.row?.maintenance_id ?? piece.item.schedule?.mschedule_id}`}
          piece={piece}
          axis={axis}
          onOpen={onOpen}
        />
      ))}
      {isToday && <NowLine axis={axis} date={date} />}
      {isDrawing && <div ref={outline} class={css['drawn']} />}
    </div>
  );
}

/** Within these minutes the present time takes the place of another one. */
const nearNow = 40;
const hours = [0, 4, 8, 12, 16, 20, 24] as const;

/** A time at the left of the columns. */
function ClockLabel({
  position,
  axis,
  isNow = false,
  children,
}: {
  readonly position: number;
  readonly axis: DayAxis;
  readonly isNow?: boolean;
  readonly children: string;
}) {
  const label = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => label.current?.style.setProperty('top', percentOf(position, axis)));
  return (
    <span ref={label} class={isNow ? css['nowLabel'] : ''}>
      {children}
    </span>
  );
}

/** Days side by side, each from midnight to midnight. */
export function DayColumns({
  dates,
  today,
  windows,
  onOpen,
  onDraw,
}: Pick<ColumnProps, 'windows' | 'onOpen' | 'onDraw'> & {
  readonly dates: readonly string[];
  readonly today: string;
}) {
  const axis = dayAxis(dates, zone.value);
  const nowAt = dates.includes(today) ? positionAt(axis, today, presentMinute.value) : undefined;
  return (
    <div class={`${css['days']} ${dates.length === 1 ? css['single'] : ''}`}>
      <span />
      {dates.map((date) => (
        <h3 key={date} class={`${css['dayHead']} ${date === today ? css['todayHead'] : ''}`}>
          {dayHeadWords(date)}
        </h3>
      ))}
      <div class={css['clock']} aria-hidden="true">
        {hours
          .map((hour) => ({ hour, position: axis.positionOf(hour * 60) }))
          .filter(({ position }) => nowAt === undefined || Math.abs(position - nowAt) > nearNow)
          .map(({ hour, position }) => (
            <ClockLabel key={hour} position={position} axis={axis}>
              {timeOfMinutes(hour * 60)}
            </ClockLabel>
          ))}
        {nowAt !== undefined && (
          <ClockLabel position={nowAt} axis={axis} isNow>
            {wallTime(zone.value, presentMinute.value).slice(11)}
          </ClockLabel>
        )}
      </div>
      {dates.map((date) => (
        <DayColumn
          key={date}
          date={date}
          axis={axis}
          isToday={date === today}
          windows={windows}
          onOpen={onOpen}
          onDraw={onDraw}
        />
      ))}
    </div>
  );
}
