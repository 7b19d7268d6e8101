import { Chips, SearchChoice } from '../../parts/search-choice.tsx';
import { locations } from '../../store/account-state.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { formTexts } from '../../texts/form-texts.ts';
import type { DeviceFieldsProps } from './device-draft.ts';
import { DeviceField, problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';

/** As many Locations are shown as boxes to tick; more are searched. */
const maxBoxes = 6;

/** The Locations that check the device, in rotation. */
export function LocationField({
  draft,
  set,
  problems,
}: DeviceFieldsProps & { readonly problems: ReadonlyMap<string, string> }) {
  const all = locations.value.map(({ Name, Online }) => ({
    id: Name,
    words: Name,
    hint: Online ? undefined : deviceWords.noAgent,
  }));
  const chosen = draft.locations ?? [];
  const choose = (next: readonly string[]) => set({ locations: next.length === 0 ? undefined : next });
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  const isNone = draft.locations?.length === 0;
  const hint = isNone ? say.noLocationAtAll : chosen.length === 0 ? say.noLocations : undefined;
  const problem = problemAt(problems, 'Locations');
  const known = new Map(all.map((option) => [option.id, option]));
  return all.length <= maxBoxes ? (
    <fieldset class={css['boxes']} data-field="Locations" data-bad={problem !== undefined || undefined}>
      <legend class="label">{say.locations}</legend>
      {all.map(({ id, hint: offline }) => (
        <label key={id}>
          <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} /> <bdi>{id}</bdi>
          {offline !== undefined && <span class="mute"> {offline}</span>}
        </label>
      ))}
      <p class={problem === undefined ? 'hint' : 'hint bad'}>{problem ?? hint}</p>
      {isNone && <DefaultButton onPress={() => choose([])} />}
    </fieldset>
  ) : (
    <DeviceField
      field="Locations"
      words={say.locations}
      problem={problem}
      hint={hint}
      after={isNone && <DefaultButton onPress={() => choose([])} />}
    >
      {(field) => (
        <>
          <Chips
            chosen={chosen.map((name) => known.get(name) ?? { id: name, words: name })}
            onRemove={toggle}
          />
          <SearchChoice
            field={field}
            placeholder={formTexts.search.findLocation}
            options={all.filter(({ id }) => !chosen.includes(id))}
            onPick={toggle}
            onRemoveLast={() => choose(chosen.slice(0, -1))}
          />
        </>
      )}
    </DeviceField>
  );
}

function DefaultButton({ onPress }: { readonly onPress: () => void }) {
  return (
    <button type="button" class="button" onClick={onPress}>
      {say.useDefaultLocations}
    </button>
  );
}
