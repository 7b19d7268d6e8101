import { type Level, levels, readScope, scopeParts } from '../../model/rights.ts';
import { TextField } from '../../parts/text-field.tsx';
import { peopleTexts } from '../../texts/people.ts';
import css from './people.module.css';
import { namesOf, rightsWords, type ShownTags } from './rights.ts';

const say = peopleTexts.form;

/** The rights as they stand in the form. */
export interface RightsDraft {
  readonly level: Level;
  /** Tags and branches with commas between them. */
  readonly scope: string;
}

/** The rights of a key or person for the form; undefined: of a new one. */
export function rightsDraft(
  shown: { readonly Level: Level; readonly Tags: ShownTags } | undefined,
  all: readonly string[],
): RightsDraft {
  if (shown === undefined) return { level: 'UO', scope: '' };
  return { level: shown.Level, scope: scopeParts(namesOf(shown.Tags) ?? [], all).join(', ') };
}

/** The fields of a body. Tags that nobody touched are not sent: a scope whose tags were deleted must not open. */
export function rightsBody(draft: RightsDraft, before: RightsDraft, all: readonly string[]) {
  const { tags } = readScope(draft.scope, all);
  const Tags = draft.scope === before.scope ? {} : { Tags: tags && [...tags] };
  return { Level: draft.level, ...Tags };
}

function Levels({
  level: chosen,
  problem,
  onChoose,
}: {
  readonly level: Level;
  readonly problem: string | undefined;
  readonly onChoose: (level: Level) => void;
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

/** The level and the tags of a key or person, and below them what that means. */
export function RightsFields({
  draft,
  before,
  set,
  who,
  allTags,
  problem,
}: {
  readonly draft: RightsDraft;
  /** The rights as they are now; of a new one the draft as it began. */
  readonly before: { readonly draft: RightsDraft; readonly tags: readonly string[] | null };
  readonly set: (change: Partial<RightsDraft>) => void;
  readonly who: string;
  readonly allTags: readonly string[];
  readonly problem: (field: string) => string | undefined;
}) {
  const written = readScope(draft.scope, allTags);
  const tags = draft.scope === before.draft.scope ? before.tags : written.tags;
  const unknown = written.unknown.length > 0 ? say.unknownTags(written.unknown) : undefined;
  return (
    <>
      <Levels level={draft.level} problem={problem('Level')} onChoose={(level) => set({ level })} />
      <TextField
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
