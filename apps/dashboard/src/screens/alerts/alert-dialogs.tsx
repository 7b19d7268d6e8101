import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { snoozeDuration } from '../../model/snooze-until.ts';
import { dateAfter, instantOf, wallTime } from '../../model/zoned.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { acknowledgeMatching, countAlerts, handOver, snoozeMatching } from '../../store/alert-changes.ts';
import { ifMay } from '../../store/api.ts';
import { serverNow, today, zone } from '../../store/clock.ts';
import { readContacts } from '../../store/notification-schedules.ts';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';

const hourMs = 3_600_000;

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Moments with a button of their own. */
function quickMoments(): readonly (readonly [words: string, wall: string])[] {
  const inHours = (hours: number) => wallTime(zone.value, serverNow() + hours * hourMs);
  return [
    [say.quick.hour, inHours(1)],
    [say.quick.four, inHours(4)],
    [say.quick.eight, inHours(8)],
    [say.quick.morning, `${dateAfter(today.value, 1)}T08:00`],
  ];
}

/** Asks until when alerts are snoozed. */
export function SnoozeDialog({
  name,
  snooze,
  isOff = false,
  children,
  onClose,
  onDone,
}: DialogProps & {
  readonly name: string;
  /** Snoozes them for a duration, `01:00`. */
  readonly snooze: (duration: string) => Promise<unknown>;
  readonly isOff?: boolean;
  /** Says which alerts are snoozed, if the title does not. */
  readonly children?: ComponentChildren;
}) {
  const [wall, setWall] = useState(() => wallTime(zone.value, serverNow() + hourMs));
  const [isWrong, setWrong] = useState(false);
  const form = useSending();
  const submit = (event: Event) => {
    event.preventDefault();
    const duration = snoozeDuration(instantOf(zone.value, wall), serverNow());
    setWrong(duration === undefined);
    if (duration === undefined) return;
    void form.send(event, async () => {
      await snooze(duration);
      onDone();
      onClose();
    });
  };
  return (
    <Dialog title={say.snoozeTitle(name)} onClose={onClose}>
      <form class={css['dialog']} onSubmit={submit}>
        {children}
        <div class="buttons">
          {quickMoments().map(([words, moment]) => (
            <button
              key={words}
              type="button"
              class="button"
              aria-pressed={moment === wall}
              onClick={() => {
                setWall(moment);
                setWrong(false);
              }}
            >
              {words}
            </button>
          ))}
        </div>
        <MomentField
          name={say.until}
          value={wall}
          problem={isWrong ? say.badUntil : undefined}
          hint={say.untilHint(zone.value)}
          onInput={setWall}
        />
        <FormRefusal words={form.words([])} />
        <div class="buttons">
          <SubmitButton isOff={form.isBusy || isOff}>{say.snoozeNow}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}

/** Asks who takes care of an alert. Names of contacts are suggested; any other name is possible. */
export function HandOverDialog({
  id,
  name,
  note: first,
  onClose,
  onDone,
}: DialogProps & { readonly id: string; readonly name: string; readonly note: string }) {
  const to = useRef<HTMLInputElement>(null);
  const note = useRef<HTMLInputElement>(null);
  const form = useSending();
  const contacts = useRead(async () => (await ifMay(readContacts())) ?? [], []);
  const submit = (event: Event) =>
    void form.send(event, async () => {
      await handOver(id, to.current?.value.trim() ?? '', note.current?.value.trim() ?? '');
      onDone();
      onClose();
    });
  return (
    <Dialog title={say.handOverTitle(name)} onClose={onClose}>
      <form class={css['dialog']} onSubmit={submit}>
        <label>
          <span class="label">{say.handOverTo}</span>
          <input ref={to} type="text" list="hand-over" required maxLength={200} autocomplete="off" />
          <datalist id="hand-over">
            {contacts.data?.slice(0, 200).map(({ contact_id, Name }) => (
              <option key={contact_id} value={Name} />
            ))}
          </datalist>
          <span class="hint">{say.handOverHint}</span>
        </label>
        <label>
          <span class="label">{say.note}</span>
          <input ref={note} type="text" maxLength={500} autocomplete="off" defaultValue={first} />
        </label>
        <ReadState read={contacts} rows={0} />
        <FormRefusal words={form.words([])} />
        <div class="buttons">
          <SubmitButton isOff={form.isBusy}>{say.handOverNow}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}

/** Acknowledges all open alerts that match the filter of the list. Their number comes from the server. */
export function MatchingDialog({
  filter,
  onClose,
  onDone,
}: DialogProps & { readonly filter: Parameters<typeof countAlerts>[0] }) {
  const note = useRef<HTMLInputElement>(null);
  const form = useSending();
  const found = useRead(() => countAlerts(filter), []);
  const number = found.data ?? 0;
  const submit = (event: Event) =>
    void form.send(event, async () => {
      await acknowledgeMatching(filter, note.current?.value.trim() ?? '');
      onDone();
      onClose();
    });
  return (
    <Dialog title={say.acknowledgeMatchingTitle} onClose={onClose}>
      <form class={css['dialog']} onSubmit={submit}>
        <ReadState read={found} rows={1} />
        {found.data !== undefined && <p>{say.matchCount(number)}</p>}
        <label>
          <span class="label">{say.note}</span>
          <input ref={note} type="text" maxLength={500} autocomplete="off" />
        </label>
        <FormRefusal words={form.words([])} />
        <div class="buttons">
          <SubmitButton isOff={form.isBusy || number === 0}>{say.acknowledgeN(number)}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}

/** Snoozes all open alerts that match the filter of the list. Their number comes from the server. */
export function SnoozeMatchingDialog({
  filter,
  onClose,
  onDone,
}: DialogProps & { readonly filter: Parameters<typeof countAlerts>[0] }) {
  const found = useRead(() => countAlerts(filter), []);
  const number = found.data ?? 0;
  return (
    <SnoozeDialog
      name={say.allThatMatch}
      snooze={(duration) => snoozeMatching(filter, duration)}
      isOff={number === 0}
      onClose={onClose}
      onDone={onDone}
    >
      <ReadState read={found} rows={1} />
      {found.data !== undefined && <p>{say.matchCount(number)}</p>}
    </SnoozeDialog>
  );
}
