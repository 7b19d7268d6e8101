import { type AccessLevel, levels, readScope, scopeParts } from '../../model/rights.ts';
import { LineField } from '../../parts/line-field.tsx';
import { formTexts } from '../../texts/form-texts.ts';
import css from './people.module.css';
import { peopleTexts } from './people-texts.ts';
import { namesOf, rightsWords, type ShownTags } from './rights-words.ts';

const say = peopleTexts.form;

/** The rights in the form. */
export interface RightsDraft {
  readonly level: AccessLevel;
  /** Tags and branches separated by commas. */
  readonly scope: string;
}

/** The form of the rights of a key or person; undefined: a new one. */
export function rightsDraft(
  shown: { readonly Level: AccessLevel; readonly Tags: ShownTags } | undefined,
  all: readonly string[],
): RightsDraft {
  if (shown === undefined) return { level: 'UO', scope: '' };
  return { level: shown.Level, scope: scopeParts(namesOf(shown.Tags) ?? [], all).join(', ') };
}

/** The fields of a body. Unchanged tags are not sent: a scope whose tags were deleted must not become unlimited. */
export function rightsBody(draft: RightsDraft, before: RightsDraft, all: readonly string[]) {
  const { tags } = readScope(draft.scope, all);
  const Tags = draft.scope === before.scope ? {} : { Tags: tags && [...tags] };
  return { Level: draft.level, ...Tags };
}

function LevelFields({
  level: chosen,
  problem,
  onChoose,
}: {
  readonly level: AccessLevel;
  readonly problem: string | undefined;
  readonly onChoose: (level: AccessLevel) => void;
}) {
  return (
    <fieldset class={css['levels']}>
      <legend class="label">{say.level}</legend>
      {levels.map((level) => (
        <label key={level} class={css['level']}>
          <input
            type="radio"
            name="level"
            value={level}
            checked={chosen === level}
            onChange={() => onChoose(level)}
          />
          <span>
            <b>{peopleTexts.levels[level].choice}</b>{' '}
            <span class="mute">{peopleTexts.levels[level].more}</span>
          </span>
        </label>
      ))}
      {problem !== undefined && <p class="hint bad">{problem}</p>}
    </fieldset>
  );
}

/** The level and the tags of a key or person, and below them the rights in words. */
export function RightsFields({
  draft,
  before,
  set,
  who,
  allTags,
  problem,
}: {
  readonly draft: RightsDraft;
  /** The present rights; of a new key or person, the initial draft. */
  readonly before: { readonly draft: RightsDraft; readonly tags: readonly string[] | null };
  readonly set: (change: Partial<RightsDraft>) => void;
  readonly who: string;
  readonly allTags: readonly string[];
  readonly problem: (field: string) => string | undefined;
}) {
  const written = readScope(draft.scope, allTags);
  const tags = draft.scope === before.draft.scope ? before.tags : written.tags;
  const unknown = written.unknown.length > 0 ? formTexts.unknownTags(written.unknown) : undefined;
  return (
    <>
      <LevelFields level={draft.level} problem={problem('Level')} onChoose={(level) => set({ level })} />
      <LineField
        name={say.scope}
        value={draft.scope}
        problem={unknown ?? problem('Tags')}
        hint={say.scopeHint}
        onInput={(scope) => set({ scope })}
      />
      <p class={css['sentence']} role="status">
        {say.sentence(who, rightsWords(draft.level, tags, allTags))}
      </p>
    </>
  );
}
