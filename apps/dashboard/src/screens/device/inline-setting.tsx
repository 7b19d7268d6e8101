import type { Schemas } from '@vantage/client';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { checkIntervals } from '../../model/check-intervals.ts';
import { severityChoices } from '../../model/severity-choices.ts';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { mayWrite } from '../../store/credential.ts';
import { type ChangedSettings, changeSettings } from '../../store/device-changes.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import { type DeviceDetail, deviceName } from './read-detail.ts';

type Device = Schemas['Device'];

/** A setting that is edited in place. */
interface InlineField {
  readonly textOf: (device: Device) => string;
  /** The choices; absent: a number is typed. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  readonly settings: (text: string) => ChangedSettings;
}

const numberIn = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim());

const fields = {
  Frequency: {
    textOf: ({ FrequencySeconds, Frequency }) => String(FrequencySeconds ?? Frequency * 60),
    choices: checkIntervals.map((seconds) => [String(seconds), deviceWords.every(seconds)] as const),
    settings: (text) => {
      const seconds = Number(text);
      return seconds < 60
        ? { FrequencySeconds: seconds }
        : { Frequency: seconds / 60, FrequencySeconds: null };
    },
  },
  Timeout: {
    textOf: ({ Timeout }) => String(Timeout),
    settings: (text) => ({ Timeout: numberIn(text) }),
  },
  Attempts: {
    textOf: ({ Attempts }) => String(Attempts),
    settings: (text) => ({ Attempts: numberIn(text) }),
  },
  Severity: {
    textOf: ({ Severity }) => Severity,
    choices: severityChoices.map((severity) => [severity, alertTexts.severity[severity]] as const),
    settings: (Severity) => ({ Severity }),
  },
} as const satisfies Readonly<Record<string, InlineField>>;

type InlineName = keyof typeof fields;

interface InlineProps {
  readonly field: InlineName;
  /** The words of the setting's name. */
  readonly name: string;
  /** The present value in words. */
  readonly words: string;
  readonly detail: DeviceDetail;
  readonly again: () => void;
}

/** A value that a press turns into a field. */
export function InlineSetting(props: InlineProps) {
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite.value) return <>{props.words}</>;
  if (isOpen) return <SettingForm {...props} onClose={() => setOpen(false)} />;
  return (
    <button
      type="button"
      class={`${css['plain']} ${css['editable']}`}
      aria-label={say.changeFrom(props.name, props.words)}
      onClick={() => setOpen(true)}
    >
      {props.words}
    </button>
  );
}

function SettingForm({
  field,
  name,
  words,
  detail,
  again,
  onClose,
}: InlineProps & { readonly onClose: () => void }) {
  const { textOf, settings, choices }: InlineField = fields[field];
  const before = textOf(detail.device);
  const [text, setText] = useState(before);
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const sending = useSending();
  // At once: keys that are pressed next are for the field.
  useLayoutEffect(() => input.current?.focus(), []);
  const submit = (event: Event) =>
    sending.send(event, async () => {
      if (text !== before) {
        const device = { id: detail.device.device_id, name: deviceName(detail), etag: detail.etag };
        await changeSettings(device, settings(text), settings(before));
        again();
      }
      onClose();
    });
  const common = {
    ref: input,
    'aria-label': name,
    'aria-invalid': sending.problemOf(field) !== undefined,
    value: text,
  };
  return (
    <form
      class={css['inline']}
      noValidate
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      {choices === undefined ? (
        <input
          {...common}
          type="text"
          inputMode="numeric"
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        <select {...common} onChange={({ currentTarget }) => setText(currentTarget.value)}>
          {choices.map(([choice, shown]) => (
            <option key={choice} value={choice}>
              {shown}
            </option>
          ))}
        </select>
      )}
      <span class="hint">{say.wasBefore(words)}</span>
      <FormRefusal words={sending.problemOf(field) ?? sending.words([field])} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || text === before}>{say.saveSetting}</SubmitButton>
        <CancelButton onClose={onClose} />
      </div>
    </form>
  );
}
