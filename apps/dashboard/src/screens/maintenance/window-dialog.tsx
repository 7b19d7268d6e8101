import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { devices, readChanges } from '../../store/account-state.ts';
import { now } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import { endMaintenance } from '../../store/maintenance-changes.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { stageOf, windowSpanWords, windowTitle } from './window-words.ts';

const say = maintenanceTexts;
const shownDevices = 12;

function WindowDevices({ row }: { readonly row: NonNullable<CalendarWindow['row']> }) {
  const shown = row.Devices.slice(0, shownDevices);
  return (
    <p>
      {say.devices(row.DeviceCount)}:{' '}
      {shown.map((id, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a class="link" href={`/devices/${id}`}>
            <bdi>{devices.value.get(id)?.name ?? id.slice(0, 8)}</bdi>
          </a>
        </span>
      ))}
      {row.DeviceCount > shown.length && ` ${say.window.more(row.DeviceCount - shown.length)}`}
    </p>
  );
}

function WindowOrigin({ window: { row, schedule } }: { readonly window: CalendarWindow }) {
  return (
    <p class="mute">
      {schedule === undefined ? (
        <>
          {say.manual}
          {row?.By != null && `, ${say.window.by(row.By)}`}
        </>
      ) : (
        <a class="link" href={`/schedules/maintenance/${schedule.mschedule_id}`}>
          {say.bySchedule(schedule.Name)}
        </a>
      )}
    </p>
  );
}

/** A window: its time, reason, author and devices, and the button that ends or cancels it. */
export function WindowDialog({
  window,
  onClose,
  onEnded,
}: {
  readonly window: CalendarWindow;
  readonly onClose: () => void;
  readonly onEnded: () => void;
}) {
  const [problem, setProblem] = useState<string>();
  const { row } = window;
  const stage = stageOf(window, now.value);
  const isRunning = stage === 'running';
  const mayEnd = row !== undefined && stage !== 'past' && mayOperate.value;
  const end = async (id: string) => {
    try {
      await endMaintenance(id);
      onEnded();
      await readChanges().catch(() => {});
    } catch (error) {
      setProblem(problemWords(error));
    }
  };
  return (
    <Dialog title={windowTitle(window)} onClose={onClose}>
      <div class={css['form']}>
        <p>
          {windowSpanWords(window)}, {say.stages[stage]}
        </p>
        <WindowOrigin window={window} />
        {row !== undefined && <WindowDevices row={row} />}
        <FormRefusal words={problem} />
        {mayEnd && <p class="hint">{isRunning ? say.window.endHint : say.window.cancelHint}</p>}
        <div class="buttons">
          {mayEnd && (
            <button type="button" class="button main" onClick={() => void end(row.maintenance_id)}>
              {isRunning ? say.window.end : say.window.cancel}
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            {say.window.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
