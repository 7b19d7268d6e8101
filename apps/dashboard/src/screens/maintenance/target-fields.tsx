import { parseFilter } from '../../model/filter-text.ts';
import { tagLevels } from '../../model/tag-levels.ts';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { Chips, SearchChoice } from '../../parts/search-choice.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { rows } from '../../store/account-state.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import { type TargetChoice, targetKinds } from './target-choice.ts';

const say = maintenanceTexts.form;

interface TargetProps {
  readonly choice: TargetChoice;
  readonly set: (choice: TargetChoice) => void;
}

function TagField({ choice, set }: TargetProps) {
  const tags = tagLevels(rows.value);
  return (
    <SelectField
      name={say.tag}
      problem={undefined}
      // The tags are known when the facts are read.
      value={tags.includes(choice.tag) ? choice.tag : ''}
      choices={[
        ['', tags.length === 0 ? say.noTags : say.chooseTag],
        ...tags.map((name) => [name, name] as const),
      ]}
      onChoose={(tag) => set({ ...choice, tag })}
    />
  );
}

function DeviceChoice({ choice, set }: TargetProps) {
  const options = rows.value.map(({ id, name, shortName }) => ({
    id,
    words: name,
    hint: shortName === name ? undefined : shortName,
  }));
  const chosen = new Set(choice.ids);
  const setIds = (ids: readonly string[]) => set({ ...choice, ids });
  return (
    <FormField name={say.devices} problem={undefined}>
      {(id, hintId) => (
        <>
          <Chips
            chosen={options.filter((option) => chosen.has(option.id))}
            onRemove={(removed) => setIds(choice.ids.filter((other) => other !== removed))}
          />
          <SearchChoice
            field={{ id, 'aria-describedby': hintId, 'aria-invalid': false }}
            placeholder={say.search}
            options={options.filter((option) => !chosen.has(option.id))}
            onPick={(picked) => setIds([...choice.ids, picked])}
            onRemoveLast={() => setIds(choice.ids.slice(0, -1))}
          />
        </>
      )}
    </FormField>
  );
}

function FilterChoice({ choice, set }: TargetProps) {
  const { unknown } = parseFilter(choice.filter);
  return (
    <LineField
      name={say.filter}
      hint={say.filterHint}
      problem={unknown.length === 0 ? undefined : deviceWords.unknownField(unknown.join(', '))}
      value={choice.filter}
      onInput={(filter) => set({ ...choice, filter })}
    />
  );
}

const fields = { tag: TagField, filter: FilterChoice, devices: DeviceChoice } as const;

/** Chooses the devices of a window: those of a tag or branch, of a filter, or one by one. */
export function TargetFields(props: TargetProps) {
  const { choice, set } = props;
  const Field = fields[choice.kind];
  return (
    <div class={css['target']}>
      <SelectField
        name={say.target}
        problem={undefined}
        value={choice.kind}
        choices={targetKinds.map((kind) => [kind, say.targets[kind]] as const)}
        onChoose={(value) => set({ ...choice, kind: targetKinds.find((kind) => kind === value) ?? 'tag' })}
      />
      <Field {...props} />
    </div>
  );
}
