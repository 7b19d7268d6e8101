import { useId, useState } from 'preact/hooks';
import { filterCount, filteredAddress } from '../model/list-filter.ts';
import { devices, locations, rows } from '../store/account-state.ts';
import { go } from '../store/address.ts';
import { listTexts as say } from '../texts/list-texts.ts';
import css from './filter-bar.module.css';
import { SkipToList } from './skip-to-list.tsx';

/** A filter of a list: a value of a few, a name of many, a device or a day. */
export type FilterField =
  | {
      readonly name: string;
      readonly choices: readonly (readonly [value: string, words: string])[];
      /** The value without a choice; absent: all. */
      readonly usual?: string;
    }
  | { readonly name: string; readonly kind: 'tag' | 'location' | 'device' | 'day' };

const maxSuggested = 20;
const labelOf = (name: string): string =>
  Object.entries(say.fields).find(([field]) => field === name)?.[1] ?? name;

/** Names that contain a text, at most 20. */
function suggested(kind: 'tag' | 'location' | 'device', text: string): readonly string[] {
  const lower = text.toLowerCase();
  const names =
    kind === 'device'
      ? rows.value.map(({ name }) => name)
      : kind === 'tag'
        ? [...new Set(rows.value.flatMap(({ tags }) => tags))].sort()
        : locations.value.map(({ Name }) => Name);
  return names.filter((name) => name.toLowerCase().includes(lower)).slice(0, maxSuggested);
}

/** The id of the device with exactly this name; undefined: there is none. */
function deviceNamed(text: string): string | undefined {
  const lower = text.toLowerCase();
  const isSame = (name: string) => name.toLowerCase() === lower;
  return rows.value.find(({ name, shortName }) => isSame(name) || isSame(shortName))?.id;
}

/** A field with suggestions of names. */
function NameField({
  field: { name, kind },
  value,
  onChange,
}: {
  readonly field: { readonly name: string; readonly kind: 'tag' | 'location' | 'device' };
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  const stored = kind === 'device' ? (devices.value.get(value)?.name ?? value) : value;
  const [typed, setTyped] = useState<string>();
  const [isUnknown, setUnknown] = useState(false);
  const finish = (text: string) => {
    const found = kind === 'device' && text !== '' ? deviceNamed(text) : text;
    setUnknown(found === undefined);
    setTyped(found === undefined ? text : undefined);
    if (found !== undefined) onChange(found);
  };
  return (
    <label>
      <span class="label">{labelOf(name)}</span>
      <input
        type="text"
        list={id}
        autocomplete="off"
        spellcheck={false}
        value={typed ?? stored}
        aria-invalid={isUnknown}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => finish(currentTarget.value.trim())}
      />
      <datalist id={id}>
        {typed !== undefined && suggested(kind, typed).map((each) => <option key={each} value={each} />)}
      </datalist>
      {isUnknown && (
        <span class="hint bad" role="alert">
          {say.noDevice}
        </span>
      )}
    </label>
  );
}

/** The filters in words: “Severity critical, Tag berlin”. */
function summaryOf(fields: readonly FilterField[], filter: Readonly<Record<string, string>>): string {
  return fields
    .flatMap((field) => {
      const value = filter[field.name] ?? '';
      if (value === '') return [];
      const words =
        'choices' in field
          ? field.choices.find(([choice]) => choice === value)?.[1]
          : field.kind === 'device'
            ? devices.value.get(value)?.name
            : value;
      return [`${labelOf(field.name)}: ${words ?? value}`];
    })
    .join(', ');
}

const isWide = () => matchMedia('(min-width: 821px)').matches;

/** The filters of a list, which are part of its address. `isOpen`: on a wide window its fields are shown at once. */
export function FilterBar({
  path,
  filter,
  fields,
  keep = {},
  isOpen = false,
}: {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly fields: readonly FilterField[];
  /** Other parts of the address. */
  readonly keep?: Readonly<Record<string, string>>;
  readonly isOpen?: boolean;
}) {
  const set = (name: string, value: string) =>
    go(filteredAddress(path, { ...keep, ...filter, [name]: value }), { replace: true });
  const shown = Object.fromEntries(fields.map(({ name }) => [name, filter[name] ?? '']));
  const isSet = filterCount(shown) > 0;
  return (
    <>
      <SkipToList />
      <details class={css['bar']} open={isOpen && isWide()}>
        <summary>
          {say.filter}
          {isSet && (
            <>
              :&nbsp;
              <b>
                <bdi>{summaryOf(fields, filter)}</bdi>
              </b>
            </>
          )}
        </summary>
        <form class={css['fields']} onSubmit={(event) => event.preventDefault()}>
          {fields.map((field) => {
            const value = filter[field.name] ?? '';
            if ('choices' in field)
              return (
                <label key={field.name}>
                  <span class="label">{labelOf(field.name)}</span>
                  <select
                    value={value}
                    onChange={({ currentTarget }) => set(field.name, currentTarget.value)}
                  >
                    <option value="">{field.usual ?? say.any}</option>
                    {field.choices.map(([choice, words]) => (
                      <option key={choice} value={choice}>
                        {words}
                      </option>
                    ))}
                  </select>
                </label>
              );
            const { name, kind } = field;
            if (kind !== 'day')
              return (
                <NameField
                  key={name}
                  field={{ name, kind }}
                  value={value}
                  onChange={(next) => set(name, next)}
                />
              );
            return (
              <label key={name}>
                <span class="label">{labelOf(name)}</span>
                <input
                  type="date"
                  value={value}
                  onChange={({ currentTarget }) => set(name, currentTarget.value)}
                />
              </label>
            );
          })}
        </form>
        {isSet && (
          <p>
            <a class="link" href={filteredAddress(path, keep)}>
              {say.clear}
            </a>
          </p>
        )}
      </details>
    </>
  );
}
