import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type DayPiece, piecesOf } from '../../model/calendar.ts';
import { wallTime } from '../../model/zoned.ts';
import { now, zone } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { dayWords, stageOf, windowTitle } from './window-words.ts';

const say = maintenanceTexts;
const dayMinutes = 1_440;
/** The step of drawing with a pointer, minutes. */
const stepMinutes = 15;
const percentOf = (minutes: number) => `${(minutes / dayMinutes) * 100}%`;

/** A drawn span: its local start, and its length. */
interface Drawn {
  readonly start: string;
  readonly minutes: number;
}

function WindowBlock({
  piece: { item, fromMinute, toMinute, lane, lanes },
  onOpen,
}: {
  readonly piece: DayPiece<CalendarWindow>;
  readonly onOpen: (window: CalendarWindow) => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // The page's policy forbids style attributes in the document.
    const { style } = button.current ?? {};
    style?.setProperty('top', percentOf(fromMinute));
    style?.setProperty('height', percentOf(toMinute - fromMinute));
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

/** The minute of the day at the pointer. */
function minuteOf(event: PointerEvent, column: HTMLElement): number {
  const { top, height } = column.getBoundingClientRect();
  const minute = ((event.clientY - top) / height) * dayMinutes;
  return Math.min(dayMinutes, Math.max(0, Math.round(minute / stepMinutes) * stepMinutes));
}

const timeOf = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

function useDrawing(date: string, onDraw: (drawn: Drawn) => void) {
  const [span, setSpan] = useState<{ readonly from: number; readonly to: number }>();
  const outline = useRef<HTMLDivElement>(null);
  const [first, last] =
    span === undefined ? [0, 0] : [Math.min(span.from, span.to), Math.max(span.from, span.to)];
  useLayoutEffect(() => {
    outline.current?.style.setProperty('top', percentOf(first));
    outline.current?.style.setProperty('height', percentOf(last - first));
  });
  const begin = (event: PointerEvent) => {
    const column = event.currentTarget;
    if (!mayOperate.value || event.button !== 0 || event.pointerType === 'touch') return;
    if (!(column instanceof HTMLElement) || event.target !== column) return;
    column.setPointerCapture(event.pointerId);
    const minute = minuteOf(event, column);
    setSpan({ from: minute, to: minute });
  };
  const move = (event: PointerEvent) => {
    if (span !== undefined && event.currentTarget instanceof HTMLElement)
      setSpan({ from: span.from, to: minuteOf(event, event.currentTarget) });
  };
  const end = () => {
    setSpan(undefined);
    if (last > first) onDraw({ start: `${date}T${timeOf(first)}`, minutes: last - first });
  };
  return { outline, isDrawing: span !== undefined && last > first, begin, move, end };
}

function DayColumn({
  date,
  windows,
  onOpen,
  onDraw,
}: {
  readonly date: string;
  readonly windows: readonly CalendarWindow[];
  readonly onOpen: (window: CalendarWindow) => void;
  readonly onDraw: (drawn: Drawn) => void;
}) {
  const { outline, isDrawing, begin, move, end } = useDrawing(date, onDraw);
  return (
    <div class={css['column']} onPointerDown={begin} onPointerMove={move} onPointerUp={end}>
      {piecesOf(windows, date, zone.value).map((piece) => (
        <WindowBlock
          key={`${piece.item.fromMs}${piece.item.row?.maintenance_id ?? piece.item.schedule?.mschedule_id}`}
          piece={piece}
          onOpen={onOpen}
        />
      ))}
      {isDrawing && <div ref={outline} class={css['drawn']} />}
    </div>
  );
}

/** Days side by side, each from midnight to midnight. */
export function DayColumns({
  dates,
  today,
  windows,
  onOpen,
  onDraw,
}: {
  readonly dates: readonly string[];
  readonly today: string;
  readonly windows: readonly CalendarWindow[];
  readonly onOpen: (window: CalendarWindow) => void;
  readonly onDraw: (drawn: Drawn) => void;
}) {
  return (
    <div class={`${css['days']} ${dates.length === 1 ? css['single'] : ''}`}>
      <span />
      {dates.map((date) => (
        <h3 key={date} class={`${css['dayHead']} ${date === today ? css['todayHead'] : ''}`}>
          {dayWords(date)}
        </h3>
      ))}
      <div class={css['clock']} aria-hidden="true">
        {[0, 4, 8, 12, 16, 20].map((hour) => (
          <span key={hour}>{timeOf(hour * 60)}</span>
        ))}
      </div>
      {dates.map((date) => (
        <DayColumn key={date} date={date} windows={windows} onOpen={onOpen} onDraw={onDraw} />
      ))}
    </div>
  );
}
