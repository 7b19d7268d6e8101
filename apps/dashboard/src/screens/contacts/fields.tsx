import type { Schemas } from '@vantage/client';
import { Field, Select, TextField } from '../../parts/field.tsx';
import { contactTexts } from '../../texts/contacts.ts';
import { planTexts } from '../../texts/plan.ts';
import css from './contacts.module.css';
import { type ContactDraft, type Kind, makeSecret, type OptionName, type TypeRules } from './draft.ts';

const say = contactTexts;
const kinds = Object.keys(say.kinds) as Kind[];
const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
] as const satisfies readonly NonNullable<NonNullable<Schemas['ContactOptions']>['ContentType']>[];

interface FieldsProps {
  readonly draft: ContactDraft;
  readonly rules: TypeRules | undefined;
  readonly isNew: boolean;
  readonly set: (change: Partial<ContactDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function Secret({ draft, rules, isNew, set, problemOf }: FieldsProps) {
  const secret = rules?.Secret ?? null;
  if (secret === null) return null;
  const isMade = draft.secret.startsWith('whsec_');
  const ofType = secret.Required ? secret.Hint : say.secretOptional(secret.Hint);
  const make = () => set({ secret: makeSecret(crypto.getRandomValues(new Uint8Array(32))) });
  return (
    <div>
      <TextField
        name={say.secret}
        problem={problemOf('Secret')}
        hint={isMade ? say.made : isNew ? ofType : say.secretKept}
        value={draft.secret}
        onText={(text) => set({ secret: text })}
      />
      {secret.Signs && isNew && (
        <button type="button" class="button" onClick={make}>
          {say.make}
        </button>
      )}
    </div>
  );
}

function Option({ name, draft, set, problemOf }: FieldsProps & { readonly name: OptionName }) {
  const change = (value: string) => set({ options: { ...draft.options, [name]: value } });
  const problem = problemOf(`Options.${name}`);
  if (name === 'ContentType')
    return (
      <Select
        name={say.options[name]}
        problem={problem}
        value={draft.options[name]}
        choices={['', ...bodyTypes].map(
          (type) => [type, type === '' ? say.optionHints[name] : type] as const,
        )}
        onChoose={change}
      />
    );
  if (name === 'Body')
    return (
      <Field name={say.options[name]} problem={problem} hint={say.optionHints[name]}>
        {(id, hintId) => (
          <textarea
            id={id}
            rows={4}
            value={draft.options[name]}
            aria-describedby={hintId}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
        )}
      </Field>
    );
  return (
    <TextField
      name={say.options[name]}
      problem={problem}
      hint={say.optionHints[name]}
      value={draft.options[name]}
      onText={change}
    />
  );
}

function Notify({ draft, set }: Pick<FieldsProps, 'draft' | 'set'>) {
  const { notify } = draft;
  const toggle = (kind: Kind) =>
    set({ notify: notify.includes(kind) ? notify.filter((each) => each !== kind) : [...notify, kind] });
  return (
    <details class={css['notify']}>
      <summary>
        {say.notify}:{' '}
        <span class="mute">{notify.length === 0 ? say.notifyAll : say.notifySome(notify.length)}</span>
      </summary>
      <fieldset>
        <legend class="label">{say.notifyHint}</legend>
        <div class={css['kinds']}>
          {kinds.map((kind) => (
            <label key={kind}>
              <input type="checkbox" checked={notify.includes(kind)} onChange={() => toggle(kind)} />
              <span>
                {kind} <span class="mute">{say.kinds[kind]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </details>
  );
}

/** The fields of a contact, as its Type has them. */
export function ContactFields(props: FieldsProps & { readonly types: readonly TypeRules[] }) {
  const { draft, rules, isNew, set, problemOf, types } = props;
  const hint = draft.address.includes('***') ? say.addressMasked : say.addressHint(rules?.Address ?? '');
  const texts = [
    ['name', planTexts.name, 'Name', undefined],
    ['address', say.address, 'Address', hint],
  ] as const;
  return (
    <>
      {isNew && (
        <Select
          name={say.type}
          problem={problemOf('Type')}
          value={draft.type}
          choices={types.map(({ Type }) => [Type, Type] as const)}
          onChoose={(type) => set({ type: types.find(({ Type }) => Type === type)?.Type ?? draft.type })}
        />
      )}
      {texts.map(([key, name, field, fieldHint]) => (
        <TextField
          key={key}
          name={name}
          problem={problemOf(field)}
          hint={fieldHint}
          value={draft[key]}
          onText={(text) => set({ [key]: text })}
        />
      ))}
      <Secret {...props} />
      {(rules?.Options ?? []).map(({ Name }) => (
        <Option key={Name} {...props} name={Name} />
      ))}
      <Notify draft={draft} set={set} />
      <label class={css['check']}>
        <input type="checkbox" checked={draft.isShadow} onChange={() => set({ isShadow: !draft.isShadow })} />{' '}
        {say.shadowField}
      </label>
    </>
  );
}
