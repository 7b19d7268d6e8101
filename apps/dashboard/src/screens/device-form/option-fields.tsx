import { useState } from 'preact/hooks';
import { type DeviceFieldsProps, optionAt, setOption } from './device-draft.ts';
import { DeviceField, problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { MethodSchema } from './method-schemas.ts';
import { OptionInput } from './option-inputs.tsx';
import {
  type OptionField,
  type OptionGroup,
  optionFieldsOf,
  optionGroups,
  optionWords,
  shortOptionWords,
  splitDefault,
} from './option-table.ts';
import { kindOf, valueWords } from './option-values.ts';
import { isWideKind } from './request-rows.ts';

export interface OptionFieldsProps extends DeviceFieldsProps {
  /** The refusals of the API. */
  readonly problems: ReadonlyMap<string, string>;
  /** Why fields cannot be sent. */
  readonly faults: ReadonlyMap<string, string>;
  /** The form was sent, so its faults are shown. */
  readonly isChecked: boolean;
  readonly schema: MethodSchema | undefined;
}

function Field({ field, props }: { readonly field: OptionField; readonly props: OptionFieldsProps }) {
  const { draft, set, problems, faults, isChecked } = props;
  const { name, path, schema } = field;
  // Two or three words only repeat the label.
  const { byDefault, hint } = splitDefault(schema.description);
  const words = optionWords(name);
  return (
    <DeviceField
      field={`Options.${name}`}
      words={words}
      problem={problemAt(problems, `Options.${name}`)}
      fault={faults.get(`Options.${name}`)}
      hint={hint.split(' ').length > 3 ? hint : undefined}
      isChecked={isChecked}
      isWide={isWideKind(kindOf(schema))}
    >
      {(input) => (
        <OptionInput
          field={input}
          name={name}
          words={words}
          schema={schema}
          value={optionAt(draft, path)}
          placeholder={byDefault}
          onValue={(value) => set(setOption(draft, path, value))}
        />
      )}
    </DeviceField>
  );
}

/** The names and values of what is set in a group. */
function SetInside({
  fields,
  draft,
}: { readonly fields: readonly OptionField[] } & Pick<OptionFieldsProps, 'draft'>) {
  const isSet = fields.filter(({ path }) => optionAt(draft, path) !== undefined);
  const words = isSet.map(({ name, path, schema }) =>
    `${shortOptionWords(name)} ${valueWords(optionAt(draft, path), schema.format === 'password')}`.trim(),
  );
  return (
    <span class={`mute ${css['inside']}`} title={words.join(' · ')}>
      {say.setInside(isSet.length)}
      {isSet.length > 0 && <span class="cut"> · {words.join(' · ')}</span>}
    </span>
  );
}

function Group({
  group,
  fields,
  props,
}: {
  readonly group: OptionGroup;
  readonly fields: readonly OptionField[];
  readonly props: OptionFieldsProps;
}) {
  const { problems, faults, isChecked } = props;
  // On a phone, the fields of every device come first.
  const [isOpen, setOpen] = useState(group === 'expect' && matchMedia('(min-width: 641px)').matches);
  const hasProblem = fields.some(
    ({ name }) =>
      problemAt(problems, `Options.${name}`) !== undefined || (isChecked && faults.has(`Options.${name}`)),
  );
  return (
    <details
      class={css['group']}
      open={isOpen || hasProblem}
      onToggle={({ currentTarget: { open } }) => setOpen(open)}
    >
      <summary>
        <span class={css['groupName']}>{say.groups[group]}</span>{' '}
        <SetInside fields={fields} draft={props.draft} />
      </summary>
      <div class={css['grid']}>
        {fields.map((field) => (
          <Field key={field.name} field={field} props={props} />
        ))}
      </div>
    </details>
  );
}

/** The Options of the Method in groups by purpose, from their schemas in the OpenAPI document. */
export function OptionFields(props: OptionFieldsProps) {
  const fields = optionFieldsOf(props.schema ?? {});
  return (
    <div key={props.draft.method}>
      {optionGroups.map((group) => {
        const inGroup = fields.filter((field) => field.group === group);
        return inGroup.length === 0 ? null : (
          <Group key={group} group={group} fields={inGroup} props={props} />
        );
      })}
    </div>
  );
}
