import { isReceived } from '@vantage/domain/method';
import type { ComponentChildren } from 'preact';
import { checkIntervals } from '../../model/check-intervals.ts';
import { severityChoices } from '../../model/severity-choices.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { type DeviceDraft, type DeviceFieldsProps, deviceDefaults } from './device-draft.ts';
import { DeviceField, problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { LocationField } from './location-field.tsx';

export interface SettingsFieldsProps extends DeviceFieldsProps {
  /** The refusals of the API. */
  readonly problems: ReadonlyMap<string, string>;
}

type TextKey = {
  [Key in keyof DeviceDraft]: DeviceDraft[Key] extends string ? Key : never;
}[keyof DeviceDraft];

/** A field for a text in one line. */
export function TextField({
  draft,
  set,
  problems,
  field,
  draftKey,
  words,
  hint,
  placeholder,
}: SettingsFieldsProps & {
  readonly field: string;
  readonly draftKey: TextKey;
  readonly words: string;
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
}) {
  return (
    <DeviceField field={field} words={words} problem={problemAt(problems, field)} hint={hint}>
      {(input) => (
        <input
          {...input}
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={draft[draftKey]}
          onInput={({ currentTarget }) => set({ [draftKey]: currentTarget.value })}
        />
      )}
    </DeviceField>
  );
}

/** A field with a list of values. */
export function ChoiceField({
  field,
  words,
  problem,
  hint,
  value,
  choices,
  isOff = false,
  after,
  onChoose,
}: {
  readonly field: string;
  readonly words: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly isOff?: boolean;
  /** Below the field and its hint. */
  readonly after?: ComponentChildren;
  readonly onChoose: (value: string) => void;
}) {
  return (
    <DeviceField field={field} words={words} problem={problem} hint={hint} after={after}>
      {(input) => (
        <select
          {...input}
          value={value}
          disabled={isOff}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </select>
      )}
    </DeviceField>
  );
}

/** The names of the device. */
export function NameFields(props: SettingsFieldsProps) {
  return (
    <div class={css['pairFields']}>
      <TextField {...props} field="FullName" draftKey="fullName" words={say.fullName} />
      <TextField
        {...props}
        field="ShortName"
        draftKey="shortName"
        words={say.shortName}
        hint={say.shortNameHint}
      />
    </div>
  );
}

/** Settings of checks by agents. */
const agentFields = [
  ['Timeout', 'timeout', say.timeout],
  ['Attempts', 'attempts', say.attempts],
  ['RetryDelay', 'retryDelay', say.retryDelay],
] as const;

/** When and from where the device is checked. */
export function TimingFields(props: SettingsFieldsProps) {
  const { draft, set, problems } = props;
  const hasAgents = !isReceived(draft.method);
  return (
    <fieldset class={css['part']}>
      <legend>{say.when}</legend>
      <div class={css['grid']}>
        <ChoiceField
          field="Frequency"
          words={say.frequency}
          problem={problemAt(problems, 'Frequency') ?? problemAt(problems, 'FrequencySeconds')}
          value={String(draft.intervalS)}
          choices={checkIntervals.map((seconds) => [String(seconds), deviceWords.every(seconds)] as const)}
          onChoose={(seconds) => set({ intervalS: Number(seconds) })}
        />
        {(hasAgents ? agentFields : []).map(([field, draftKey, words]) => (
          <TextField
            {...props}
            key={field}
            field={field}
            draftKey={draftKey}
            words={words}
            placeholder={say.default(deviceDefaults[draftKey])}
          />
        ))}
        <TextField
          {...props}
          field="ExpiryWarningDays"
          draftKey="expiryDays"
          words={say.expiryDays}
          hint={say.expiryDaysHint}
          placeholder={say.expiryDaysDefault}
        />
        <ChoiceField
          field="Severity"
          words={say.severity}
          problem={problemAt(problems, 'Severity')}
          value={draft.severity}
          choices={severityChoices.map((severity) => [severity, alertTexts.severity[severity]] as const)}
          onChoose={(severity) => set({ severity })}
        />
        <ChoiceField
          field="Enabled"
          words={say.enabled}
          problem={problemAt(problems, 'Enabled')}
          value={draft.isEnabled ? 'on' : 'off'}
          choices={Object.entries(say.enabledChoices)}
          onChoose={(choice) => set({ isEnabled: choice === 'on' })}
        />
      </div>
      {hasAgents && <LocationField draft={draft} set={set} problems={problems} />}
    </fieldset>
  );
}
