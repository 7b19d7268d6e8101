import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { devices, readChanges } from '../../store/account-state.ts';
import { now } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import { type CalendarWindow, endMaintenance } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';
import { spanWords, titleOf } from './words.ts';

const say = maintenanceTexts;
const shownDevices = 12;

function Devices({ row }: { readonly row: NonNullable<CalendarWindow['row']> }) {
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

function Origin({ window: { row, schedule } }: { readonly window: CalendarWindow }) {
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

/** A window: when, why, by whom, of which devices; it is ended or cancelled here. */
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
  const isRunning = window.fromMs <= now.value;
  const end = async (id: string) => {
    try {
      await endMaintenance(id);
      onEnded();
      await readChanges().catch(() => {});
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <Dialog title={titleOf(window)} onClose={onClose}>
      <div class={css['form']}>
        <p>
          {spanWords(window)}, {isRunning ? say.running : say.planned}
        </p>
        <Origin window={window} />
        {row !== undefined && <Devices row={row} />}
        {problem !== undefined && (
          <p class="hint bad" role="alert">
            {problem}
          </p>
        )}
        {row !== undefined && mayOperate.value && (
          <p class="hint">{isRunning ? say.window.endHint : say.window.cancelHint}</p>
        )}
        <div class="buttons">
          {row !== undefined && mayOperate.value && (
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
