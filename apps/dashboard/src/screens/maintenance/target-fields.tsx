import { useEffect, useState } from 'preact/hooks';
import { SelectField } from '../../parts/select-field.tsx';
import { rows } from '../../store/account-state.ts';
import type { MaintenanceTarget } from '../../store/maintenance-changes.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';

const say = maintenanceTexts.form;
const kinds = ['tag', 'device'] as const;
type TargetKind = (typeof kinds)[number];
/** The maximum number of devices in the list. Others are found by their name. */
const maxDevices = 100;

/** All tags of devices, by name. */
export function allTags(): readonly string[] {
  return [...new Set(rows.value.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}

/** Chooses the devices of a window. */
export function TargetFields({
  onTarget,
}: {
  readonly onTarget: (target: MaintenanceTarget | undefined) => void;
}) {
  const tags = allTags();
  const [chosenKind, setKind] = useState<TargetKind>();
  // The tags are known when the facts are read.
  const kind = chosenKind ?? (tags.length > 0 ? 'tag' : 'device');
  const [chosenTag, setTag] = useState('');
  // Nothing is chosen at first: a hasty click would silence the first devices of the list.
  const tag = tags.includes(chosenTag) ? chosenTag : '';
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState('');
  const found = rows.value.filter(({ words }) => words.includes(search.trim().toLowerCase()));
  const device = found.some(({ id }) => id === chosen) ? chosen : '';
  useEffect(() => {
    if (kind === 'tag') onTarget(tag === '' ? undefined : { kind, tag });
    else onTarget(device === '' ? undefined : { kind, id: device });
  }, [kind, tag, device]);
  return (
    <div class={css['target']}>
      <SelectField
        name={say.target}
        problem={undefined}
        value={kind}
        choices={kinds.map((choice) => [choice, say.targets[choice]] as const)}
        onChoose={(value) => setKind(value === 'tag' ? 'tag' : 'device')}
      />
      {kind === 'tag' ? (
        <SelectField
          name={say.tag}
          problem={undefined}
          value={tag}
          choices={[
            ['', tags.length === 0 ? say.noTags : say.chooseTag],
            ...tags.map((name) => [name, name] as const),
          ]}
          onChoose={setTag}
        />
      ) : (
        <>
          <label>
            <span class="label">{say.search}</span>
            <input
              type="text"
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          </label>
          <SelectField
            name={say.device}
            problem={undefined}
            value={device}
            choices={[
              ['', say.chooseDevice],
              ...found.slice(0, maxDevices).map(({ id, name }) => [id, name] as const),
            ]}
            onChoose={setChosen}
          />
        </>
      )}
    </div>
  );
}
