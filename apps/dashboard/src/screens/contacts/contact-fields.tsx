import type { Schemas } from '@vantage/client';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { alertTexts } from '../../texts/alert-texts.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import {
  type ContactDraft,
  type ContactMessageKind,
  type ContactOptionName,
  type ContactTypeFields,
  makeSecret,
} from './contact-draft.ts';
import { contactTexts } from './contact-texts.ts';
import css from './contacts.module.css';

const say = contactTexts;
const kinds = Object.keys(alertTexts.messageKinds) as ContactMessageKind[];
const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
] as const satisfies readonly NonNullable<NonNullable<Schemas['ContactOptions']>['ContentType']>[];

interface ContactFieldsProps {
  readonly draft: ContactDraft;
  readonly rules: ContactTypeFields | undefined;
  readonly isNew: boolean;
  readonly set: (change: Partial<ContactDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function SecretField({ draft, rules, isNew, set, problemOf }: ContactFieldsProps) {
  const secret = rules?.Secret ?? null;
  if (secret === null) return null;
  const isMade = draft.secret.startsWith('whsec_');
  const ofType = secret.Required ? secret.Hint : say.secretOptional(secret.Hint);
  const make = () => set({ secret: makeSecret(crypto.getRandomValues(new Uint8Array(32))) });
  return (
    <div>
      <LineField
        name={say.secret}
        problem={problemOf('Secret')}
        hint={isMade ? say.made : isNew ? ofType : say.secretKept}
        value={draft.secret}
        onInput={(text) => set({ secret: text })}
      />
      {secret.Signs && isNew && (
        <button type="button" class="button" onClick={make}>
          {say.make}
        </button>
      )}
    </div>
  );
}

function OptionField({
  name,
  draft,
  set,
  problemOf,
}: ContactFieldsProps & { readonly name: ContactOptionName }) {
  const change = (value: string) => set({ options: { ...draft.options, [name]: value } });
  const problem = problemOf(`Options.${name}`);
  if (name === 'ContentType')
    return (
      <SelectField
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
      <FormField name={say.options[name]} problem={problem} hint={say.optionHints[name]}>
        {(id, hintId) => (
          <textarea
            id={id}
            rows={4}
            value={draft.options[name]}
            aria-describedby={hintId}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
        )}
      </FormField>
    );
  return (
    <LineField
      name={say.options[name]}
      problem={problem}
      hint={say.optionHints[name]}
      value={draft.options[name]}
      onInput={change}
    />
  );
}

function NotifyFields({ draft, set }: Pick<ContactFieldsProps, 'draft' | 'set'>) {
  const { notify } = draft;
  const toggle = (kind: ContactMessageKind) =>
    set({ notify: notify.includes(kind) ? notify.filter((other) => other !== kind) : [...notify, kind] });
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
                {kind} <span class="mute">{alertTexts.messageKinds[kind]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
    </details>
  );
}

/** The fields of a contact of its Type. */
export function ContactFields(props: ContactFieldsProps & { readonly types: readonly ContactTypeFields[] }) {
  const { draft, rules, isNew, set, problemOf, types } = props;
  const hint = draft.address.includes('***') ? say.addressMasked : say.addressHint(rules?.Address ?? '');
  const fields = [
    ['name', planTexts.name, 'Name', undefined],
    ['address', say.address, 'Address', hint],
  ] as const;
  return (
    <>
      {isNew && (
        <SelectField
          name={say.type}
          problem={problemOf('Type')}
          value={draft.type}
          choices={types.map(({ Type }) => [Type, Type] as const)}
          onChoose={(type) => set({ type: types.find(({ Type }) => Type === type)?.Type ?? draft.type })}
        />
      )}
      {fields.map(([key, name, field, fieldHint]) => (
        <LineField
          key={key}
          name={name}
          problem={problemOf(field)}
          hint={fieldHint}
          value={draft[key]}
          onInput={(text) => set({ [key]: text })}
        />
      ))}
      <SecretField {...props} />
      {(rules?.Options ?? []).map(({ Name }) => (
        <OptionField key={Name} {...props} name={Name} />
      ))}
      <NotifyFields draft={draft} set={set} />
      <label class={css['check']}>
        <input type="checkbox" checked={draft.isShadow} onChange={() => set({ isShadow: !draft.isShadow })} />{' '}
        {say.shadowField}
      </label>
    </>
  );
}
