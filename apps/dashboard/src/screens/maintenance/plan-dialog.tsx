import { useEffect, useState } from 'preact/hooks';
import { conflictsOf } from '../../model/conflicts.ts';
import { instantOf } from '../../model/zoned.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { type DeviceRow, readChanges, rows } from '../../store/account-state.ts';
import { ApiProblem } from '../../store/api.ts';
import { now, zone } from '../../store/clock.ts';
import {
  type CalendarWindow,
  type Mschedule,
  planMaintenance,
  readQuieted,
  readScheduleDevices,
  type Target,
} from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';
import { TargetFields } from './target-fields.tsx';
import { spanWords, titleOf } from './words.ts';

const say = maintenanceTexts.form;
const shownNames = 5;
/** After the last letter, milliseconds. */
const pauseMs = 300;

/** The fields of a new window as they begin. */
export interface Planned {
  readonly start: string;
  readonly duration: string;
  /** The devices of this schedule get it. */
  readonly schedule?: Mschedule;
}

/** The known devices that a target means; `ids` are those of a schedule. */
function meantBy(target: Target | undefined, ids: readonly string[]): readonly DeviceRow[] {
  switch (target?.kind) {
    case undefined:
      return [];
    case 'device':
      return rows.value.filter(({ id }) => id === target.id);
    case 'tag':
      return rows.value.filter(({ tags }) => tags.includes(target.tag));
    case 'schedule':
      return rows.value.filter(({ id }) => ids.includes(id));
  }
}

/** The sentences of the server about who would be notified, a moment after the last change. */
function useQuieted(target: Target | undefined, span: { readonly fromMs: number; readonly toMs: number }) {
  const [sentences, setSentences] = useState<readonly string[]>();
  const filter =
    target === undefined
      ? undefined
      : target.kind === 'tag'
        ? { Tag: [target.tag] }
        : target.kind === 'device'
          ? { id: target.id }
          : { mschedule_id: target.schedule.mschedule_id };
  const isComplete = filter !== undefined && span.toMs > span.fromMs;
  // The begin of a window that starts now moves with the clock.
  const key = JSON.stringify([filter, Math.round(span.fromMs / 60_000), span.toMs - span.fromMs]);
  useEffect(() => {
    setSentences(undefined);
    if (!isComplete) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      readQuieted(filter, span).then(
        (found) => isCurrent && setSentences(found),
        () => {},
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isComplete]);
  return sentences;
}

function Effects({
  target,
  meant,
  isNow,
  span,
  windows,
}: {
  readonly meant: readonly DeviceRow[];
  /** It begins when it is sent. */
  readonly isNow: boolean;
  readonly target: Target | undefined;
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly windows: readonly CalendarWindow[];
}) {
  const sentences = useQuieted(target, span);
  const names = meant.slice(0, shownNames).map(({ name }) => name);
  const others = meant.length - names.length;
  const known = windows.map((window) => ({ ...window, devices: window.row?.Devices ?? [] }));
  const conflicts = conflictsOf(known, span, new Set(meant.map(({ id }) => id)));
  return (
    <div class={css['effects']} aria-live="polite">
      <p>
        <bdi>
          {say.covers(meant.length, others > 0 ? [...names, maintenanceTexts.window.more(others)] : names)}
        </bdi>
      </p>
      {conflicts.map(({ item, devices }) => (
        <p key={`${item.fromMs}${titleOf(item)}`} class={css['conflict']}>
          <bdi>{say.conflict(devices, spanWords(item), titleOf(item))}</bdi>{' '}
          {item.row?.Source === 'Manual' && item.fromMs <= now.value === isNow && say.replaces}
        </p>
      ))}
      {meant.length > 0 && sentences !== undefined && (
        <>
          <p>{say.quiet}</p>
          <ul class="hint">
            {sentences.length === 0 && <li>{say.nobody}</li>}
            {sentences.map((sentence) => (
              <li key={sentence}>
                <bdi>{sentence}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const minutesOf = (text: string) => {
  const found = /^(\d{1,2}):([0-5]\d)$/.exec(text.trim());
  return found === null ? Number.NaN : Number(found[1]) * 60 + Number(found[2]);
};

interface Fields {
  readonly start: string;
  readonly duration: string;
  readonly reason: string;
}

function Inputs({
  fields,
  set,
  problem,
}: {
  readonly fields: Fields;
  readonly set: (fields: Fields) => void;
  readonly problem: unknown;
}) {
  const problemOf = (field: string) =>
    problem instanceof ApiProblem
      ? problem.fields.find((each) => each.field.endsWith(field))?.message
      : undefined;
  const inputs = [
    ['start', say.start, 'Start', say.startHint(zone.value)],
    ['duration', say.duration, 'Duration', undefined],
    ['reason', say.reason, 'Reason', undefined],
  ] as const;
  return (
    <>
      {inputs.map(([key, name, field, hint]) => (
        <TextField
          key={key}
          name={name}
          problem={problemOf(field)}
          hint={hint}
          value={fields[key]}
          isMoment={key === 'start'}
          onText={(text) => set({ ...fields, [key]: text })}
        />
      ))}
    </>
  );
}

function Buttons({
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

/** Plans a window, or starts one: for whom, when, and what follows from it. */
export function PlanDialog({
  planned,
  windows,
  onClose,
  onDone,
}: {
  readonly planned: Planned;
  /** All windows that are known, for conflicts. */
  readonly windows: readonly CalendarWindow[];
  readonly onClose: () => void;
  readonly onDone: (start: string) => void;
}) {
  const [target, setTarget] = useState<Target | undefined>(
    planned.schedule && { kind: 'schedule', schedule: planned.schedule },
  );
  const given = useRead(
    async () => (planned.schedule ? readScheduleDevices(planned.schedule.mschedule_id) : []),
    [planned],
  );
  const meant = meantBy(target, given.data ?? []);
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
          <TargetFields onTarget={setTarget} />
        ) : (
          <p>{say.ofSchedule(planned.schedule.Name)}</p>
        )}
        <Inputs fields={fields} set={setFields} problem={problem} />
        <Effects target={target} meant={meant} isNow={fields.start === ''} span={span} windows={windows} />
        {problem !== undefined && (
          <p class="hint bad" role="alert">
            {wordsOf(problem)}
          </p>
        )}
        <ReadState read={given} rows={0} />
        <Buttons
          isReady={target !== undefined && given.data !== undefined}
          devices={meant.length}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
