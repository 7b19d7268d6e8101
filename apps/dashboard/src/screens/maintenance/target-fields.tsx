import { useEffect, useState } from 'preact/hooks';
import { Select } from '../../parts/field.tsx';
import { rows } from '../../store/account-state.ts';
import type { Target } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';

const say = maintenanceTexts.form;
const kinds = ['tag', 'device'] as const;
type Kind = (typeof kinds)[number];
/** Devices of the list; more are found by their name. */
const mostDevices = 100;

/** All tags of devices, by name. */
export function allTags(): readonly string[] {
  return [...new Set(rows.value.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}

/** Chooses for which devices a window is. */
export function TargetFields({ onTarget }: { readonly onTarget: (target: Target | undefined) => void }) {
  const tags = allTags();
  const [chosenKind, setKind] = useState<Kind>();
  // The tags come with the facts.
  const kind = chosenKind ?? (tags.length > 0 ? 'tag' : 'device');
  const [chosenTag, setTag] = useState('');
  // Nothing is chosen at first: a hasty click would silence the first of the list.
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
      <Select
        name={say.target}
        problem={undefined}
        value={kind}
        choices={kinds.map((each) => [each, say.targets[each]] as const)}
        onChoose={(value) => setKind(value === 'tag' ? 'tag' : 'device')}
      />
      {kind === 'tag' ? (
        <Select
          name={say.tag}
          problem={undefined}
          value={tag}
          choices={[
            ['', tags.length === 0 ? say.noTags : say.chooseTag],
            ...tags.map((each) => [each, each] as const),
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
          <Select
            name={say.device}
            problem={undefined}
            value={device}
            choices={[
              ['', say.chooseDevice],
              ...found.slice(0, mostDevices).map(({ id, name }) => [id, name] as const),
            ]}
            onChoose={setChosen}
          />
        </>
      )}
    </div>
  );
}
