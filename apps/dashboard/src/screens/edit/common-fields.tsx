import { Field, Select } from '../../parts/field.tsx';
import { texts } from '../../texts/index.ts';
import type { FieldsProps } from './draft.ts';
import css from './edit.module.css';

const say = texts.edit;
/** Seconds between checks that the API takes. */
const intervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];
const severities = ['critical', 'warning', 'info'] as const;

interface Props extends FieldsProps {
  readonly problems: ReadonlyMap<string, string>;
  readonly methods: readonly string[];
  readonly locations: readonly string[];
}

function Texts({ draft, set, problems }: Omit<Props, 'methods' | 'locations'>) {
  const fields = [
    ['shortName', say.shortName, 'ShortName', undefined],
    ['fullName', say.fullName, 'FullName', undefined],
    ['timeout', say.timeout, 'Timeout', say.timeoutHint],
    ['attempts', say.attempts, 'Attempts', say.attemptsHint],
    ['tags', say.tags, 'Tags', say.tagsHint],
  ] as const;
  return (
    <>
      {fields.map(([key, name, field, hint]) => (
        <Field key={key} name={name} problem={problems.get(field)} hint={hint}>
          {(id, hintId) => (
            <input
              id={id}
              type="text"
              autocomplete="off"
              value={draft[key]}
              aria-invalid={problems.has(field)}
              aria-describedby={hintId}
              onInput={(event) => set({ [key]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </>
  );
}

function Locations({ draft, set, locations }: FieldsProps & { readonly locations: readonly string[] }) {
  const chosen = draft.locations ?? [];
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name];
    set({ locations: next.length === 0 ? undefined : next });
  };
  return (
    <fieldset class={css['locations']}>
      <legend class="label">{say.locations}</legend>
      {locations.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />{' '}
          <bdi>{name}</bdi>
        </label>
      ))}
      {chosen.length === 0 && <p class="hint">{say.noLocations}</p>}
    </fieldset>
  );
}

/** The fields that every Method has. */
export function CommonFields({ draft, set, problems, methods, locations }: Props) {
  return (
    <div class={css['grid']}>
      <Select
        name={say.method}
        problem={problems.get('Method')}
        value={draft.method}
        choices={methods.map((method) => [method, method] as const)}
        onChoose={(method) => set({ method, isMethodChosen: true })}
      />
      <Texts draft={draft} set={set} problems={problems} />
      <Select
        name={say.frequency}
        problem={problems.get('Frequency') ?? problems.get('FrequencySeconds')}
        value={String(draft.intervalS)}
        choices={intervals.map((seconds) => [String(seconds), texts.device.every(seconds)] as const)}
        onChoose={(seconds) => set({ intervalS: Number(seconds) })}
      />
      <Select
        name={say.severity}
        problem={problems.get('Severity')}
        value={draft.severity}
        choices={severities.map((severity) => [severity, texts.alerts.severity[severity]] as const)}
        onChoose={(severity) => set({ severity })}
      />
      {locations.length > 1 && <Locations draft={draft} set={set} locations={locations} />}
    </div>
  );
}
