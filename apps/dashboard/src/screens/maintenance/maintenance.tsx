import { useState } from 'preact/hooks';
import { type CalendarView, datesOf, stepDate } from '../../model/calendar.ts';
import { dateAfter, instantOf, timeOfMinutes, wallTime } from '../../model/zoned.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { Heading } from '../../parts/heading.tsx';
import { PlanTabs } from '../../parts/plan-tabs.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { progress } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { minute, today, zone } from '../../store/clock.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import {
  type CalendarData,
  type CalendarWindow,
  type ClockNote,
  readCalendar,
} from '../../store/maintenance-calendar.ts';
import { Agenda } from './agenda.tsx';
import { DayColumns } from './day-columns.tsx';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { PlanDialog, type PlanStart } from './plan-dialog.tsx';
import { RecurringList } from './recurring-list.tsx';
import { WindowDialog } from './window-dialog.tsx';
import { dayWords } from './window-words.ts';

const say = maintenanceTexts;
const views: readonly CalendarView[] = ['day', 'week', 'month'];

/** The view and its date in the address. */
function readView(): { readonly view: CalendarView; readonly date: string } {
  const { query } = address.value;
  const text = query.get('at') ?? '';
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return {
    view: views.find((view) => view === query.get('view')) ?? 'week',
    date: isDate ? text : today.value,
  };
}

const show = (view: CalendarView, date: string) =>
  go(`/schedules/maintenance?view=${view}&at=${date}`, { replace: true });

function spanTitle(view: CalendarView, dates: readonly string[], date: string): string {
  if (view === 'month')
    return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      Date.parse(`${date}T00:00Z`),
    );
  const [first = date] = dates;
  const last = dates.at(-1) ?? first;
  const year = last.slice(0, 4);
  return first === last ? `${dayWords(first)} ${year}` : `${dayWords(first)} – ${dayWords(last)} ${year}`;
}

function Toolbar({ title, onAdd }: { readonly title: string; readonly onAdd: () => void }) {
  const { view, date } = readView();
  return (
    <div class={css['bar']}>
      <ButtonChoice names={views} words={say.views} chosen={view} onChoose={(name) => show(name, date)} />
      <div class="buttons">
        <button type="button" class="button" onClick={() => show(view, stepDate(view, date, -1))}>
          {say.before}
        </button>
        <button type="button" class="button" onClick={() => show(view, today.value)}>
          {say.today}
        </button>
        <button type="button" class="button" onClick={() => show(view, stepDate(view, date, 1))}>
          {say.after}
        </button>
      </div>
      <h2 class={css['spanTitle']} aria-live="polite">
        {title}
      </h2>
      <span class="mute">{zone.value}</span>
      {mayOperate.value && (
        <button type="button" class={`button main ${css['add']}`} onClick={onAdd}>
          {say.add}
        </button>
      )}
    </div>
  );
}

/** Clock changes that affect windows on these days. A person can plan a window that is skipped. */
function ClockNotes({
  notes,
  dates,
  onPlan,
}: {
  readonly notes: readonly ClockNote[];
  readonly dates: readonly string[];
  readonly onPlan: (planned: PlanStart) => void;
}) {
  const shown = notes.filter(({ window }) => dates.includes(window.LocalStart.slice(0, 10)));
  return (
    <>
      {shown.map(({ schedule, window: { LocalStart, Note, Start } }) => {
        const movedMs = instantOf(schedule.Timezone, LocalStart);
        const start = wallTime(zone.value, movedMs);
        return (
          <p key={`${schedule.mschedule_id}${LocalStart}`} class={css['note']}>
            <b>
              <bdi>{schedule.Name}</bdi>
            </b>{' '}
            {Note}{' '}
            {Start === null && mayWrite.value && (
              <button
                type="button"
                class="button"
                onClick={() => onPlan({ start, duration: schedule.Duration, schedule })}
              >
                {say.moveTo(wallTime(schedule.Timezone, movedMs).slice(11))}
              </button>
            )}
          </p>
        );
      })}
    </>
  );
}

function Calendar({
  data,
  onOpen,
  onPlan,
}: {
  readonly data: CalendarData;
  readonly onOpen: (window: CalendarWindow) => void;
  readonly onPlan: (planned: PlanStart) => void;
}) {
  const { view, date } = readView();
  const dates = datesOf(view, date);
  const shared = { dates, today: today.value, windows: data.windows, onOpen };
  return (
    <section aria-label={say.calendar}>
      <ClockNotes notes={data.notes} dates={dates} onPlan={onPlan} />
      {data.windows.length === 0 && <p class="mute">{say.none}</p>}
      {(dates[0] ?? date) < dateAfter(today.value, -61) && <p class="hint">{say.past}</p>}
      {view === 'month' ? (
        <Agenda {...shared} month={date.slice(0, 7)} />
      ) : (
        <>
          <div class={css['wideOnly']}>
            <DayColumns
              {...shared}
              onDraw={({ start, minutes }) => onPlan({ start, duration: timeOfMinutes(minutes) })}
            />
            {mayOperate.value && <p class="hint">{say.drag}</p>}
          </div>
          <div class={css['narrowOnly']}>
            <Agenda {...shared} />
          </div>
        </>
      )}
    </section>
  );
}

/** The calendar of maintenance, and the recurring schedules. */
export function MaintenanceScreen() {
  const { view, date } = readView();
  const dates = datesOf(view, date);
  const fromMs = instantOf(zone.value, `${dates[0] ?? date}T00:00`);
  const toMs = instantOf(zone.value, `${dateAfter(dates.at(-1) ?? date, 1)}T00:00`);
  // The zone of the account is among the facts that must be read first.
  const isReady = progress.value === 'ready';
  const all = useRead(() => readCalendar(fromMs, toMs), [fromMs, toMs], [isReady, minute.value]);
  const { data, again } = all;
  const [opened, setOpened] = useState<CalendarWindow>();
  const [planned, setPlanned] = useState<PlanStart>();
  const done = (start: string) => {
    setPlanned(undefined);
    if (start !== '') show(view, start.slice(0, 10));
    again();
  };
  return (
    <div class="page">
      <PlanTabs />
      <Heading>{say.title}</Heading>
      <p class="mute">{say.say}</p>
      <Toolbar
        title={spanTitle(view, dates, date)}
        onAdd={() => setPlanned({ start: date > today.value ? `${date}T02:00` : '', duration: '01:00' })}
      />
      <ReadState read={all} />
      {data !== undefined && (
        <>
          <Calendar data={data} onOpen={setOpened} onPlan={setPlanned} />
          <RecurringList schedules={data.schedules} />
        </>
      )}
      {opened !== undefined && (
        <WindowDialog
          window={opened}
          onClose={() => setOpened(undefined)}
          onEnded={() => {
            setOpened(undefined);
            again();
          }}
        />
      )}
      {planned !== undefined && (
        <PlanDialog
          planned={planned}
          windows={data?.all ?? []}
          onClose={() => setPlanned(undefined)}
          onDone={done}
        />
      )}
    </div>
  );
}
