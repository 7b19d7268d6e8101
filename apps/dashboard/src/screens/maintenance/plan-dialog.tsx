import { useState } from 'preact/hooks';
import { needsSettings } from '../../model/device-filter.ts';
import { instantOf } from '../../model/zoned.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { readChanges, rows } from '../../store/account-state.ts';
import { ApiProblem } from '../../store/api.ts';
import { now, zone } from '../../store/clock.ts';
import { useDeviceSettings } from '../../store/device-settings.ts';
import type { CalendarWindow } from '../../store/maintenance-calendar.ts';
import {
  type MaintenanceTarget,
  planMaintenance,
  readScheduleDevices,
} from '../../store/maintenance-changes.ts';
import type { Mschedule } from '../../store/maintenance-schedules.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { PlanEffects } from './plan-effects.tsx';
import { devicesOfChoice, emptyChoice, filterOfChoice, targetOf } from './target-choice.ts';
import { TargetFields } from './target-fields.tsx';

const say = maintenanceTexts.form;

/** The initial values of a new window. */
export interface PlanStart {
  readonly start: string;
  readonly duration: string;
  /** The window is for the devices of this schedule. */
  readonly schedule?: Mschedule;
}

/** The target of the dialog and its devices: those of a schedule, or what a person chooses. */
function useTarget(schedule: Mschedule | undefined) {
  const [choice, setChoice] = useState(emptyChoice);
  const scheduled = useRead(
    async () => (schedule === undefined ? [] : readScheduleDevices(schedule.mschedule_id)),
    [schedule],
  );
  const filter = filterOfChoice(choice);
  useDeviceSettings(filter !== undefined && needsSettings(filter));
  const ids = new Set(scheduled.data ?? []);
  const devices =
    schedule === undefined ? devicesOfChoice(choice) : rows.value.filter(({ id }) => ids.has(id));
  const target: MaintenanceTarget | undefined =
    schedule === undefined ? targetOf(choice, devices) : { kind: 'schedule', schedule };
  const isUnmatched = devices.length === 0 && filter !== undefined;
  return { choice, setChoice, scheduled, devices, target, isUnmatched };
}

const minutesOf = (text: string) => {
  const found = /^(\d{1,2}):([0-5]\d)$/.exec(text.trim());
  return found === null ? Number.NaN : Number(found[1]) * 60 + Number(found[2]);
};

interface PlanValues {
  readonly start: string;
  readonly duration: string;
  readonly reason: string;
}

function PlanFields({
  fields,
  set,
  problem,
}: {
  readonly fields: PlanValues;
  readonly set: (fields: PlanValues) => void;
  readonly problem: unknown;
}) {
  const problemOf = (field: string) =>
    problem instanceof ApiProblem
      ? problem.fields.find((refusal) => refusal.field.endsWith(field))?.message
      : undefined;
  return (
    <>
      <MomentField
        name={say.start}
        problem={problemOf('Start')}
        hint={say.startHint(zone.value)}
        value={fields.start}
        onInput={(start) => set({ ...fields, start })}
      />
      <LineField
        name={say.duration}
        problem={problemOf('Duration')}
        value={fields.duration}
        onInput={(duration) => set({ ...fields, duration })}
      />
      <LineField
        name={say.reason}
        problem={problemOf('Reason')}
        value={fields.reason}
        onInput={(reason) => set({ ...fields, reason })}
      />
    </>
  );
}

function PlanButtons({
  isReady,
  devices,
  onCancel,
}: {
  readonly isReady: boolean;
  readonly devices: number;
  readonly onCancel: () => void;
}) {
  return (
    <div class="buttons">
      <button type="submit" class="button main" disabled={!isReady}>
        {say.make(devices)}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        {say.cancel}
      </button>
    </div>
  );
}

/** Plans or starts a window: its devices, its time, and its effects. */
export function PlanDialog({
  planned,
  windows,
  onClose,
  onDone,
}: {
  readonly planned: PlanStart;
  /** All known windows, to find conflicts. */
  readonly windows: readonly CalendarWindow[];
  readonly onClose: () => void;
  readonly onDone: (start: string) => void;
}) {
  const { choice, setChoice, scheduled, devices, target, isUnmatched } = useTarget(planned.schedule);
  const [fields, setFields] = useState({ start: planned.start, duration: planned.duration, reason: '' });
  const [problem, setProblem] = useState<unknown>();
  const fromMs = fields.start === '' ? now.value : instantOf(zone.value, fields.start);
  const span = { fromMs, toMs: fromMs + minutesOf(fields.duration) * 60_000 };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (target === undefined) return;
    try {
      await planMaintenance(target, { ...fields, reason: fields.reason.trim() });
      onDone(fields.start);
      await readChanges().catch(() => {});
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog title={say.title} onClose={onClose} isWide>
      <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
        {planned.schedule === undefined ? (
          <TargetFields choice={choice} set={setChoice} />
        ) : (
          <p>{say.ofSchedule(planned.schedule.Name)}</p>
        )}
        <PlanFields fields={fields} set={setFields} problem={problem} />
        <PlanEffects
          target={target}
          devices={devices}
          isUnmatched={isUnmatched}
          isNow={fields.start === ''}
          span={span}
          windows={windows}
        />
        <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
        <ReadState read={scheduled} rows={0} />
        <PlanButtons
          isReady={target !== undefined && scheduled.data !== undefined}
          devices={devices.length}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
