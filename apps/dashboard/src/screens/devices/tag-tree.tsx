import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { count as number } from '../../model/format.ts';
import { worstOf } from '../../model/state.ts';
import { type Branch, tagTree } from '../../model/tag-tree.ts';
import { Mark } from '../../parts/mark.tsx';
import { counts, progress, rows } from '../../store/account-state.ts';
import { texts } from '../../texts/index.ts';
import css from './devices.module.css';

const say = texts.devices;

const branches = computed(() => tagTree(rows.value));
const worst = computed(() => worstOf(rows.value.map(({ state }) => state)));

interface TreeProps {
  readonly chosen: string | undefined;
  readonly onChoose: (tag: string | undefined) => void;
}

function Counted({ down, total }: { readonly down: number; readonly total: number }) {
  return (
    <span class={css['counted']}>
      {down > 0 && <b>{number(down)}</b>}
      {down > 0 && ' / '}
      {number(total)}
    </span>
  );
}

function Level({ branch, chosen, onChoose }: TreeProps & { readonly branch: Branch }) {
  const [isOpen, setOpen] = useState(branch.down > 0);
  const hasMore = branch.branches.length > 0;
  const wanted = hasMore ? `${branch.path}/*` : branch.path;
  return (
    <li>
      <div class={css['branch']}>
        <button
          type="button"
          class={css['twist']}
          aria-expanded={hasMore ? isOpen : undefined}
          aria-label={branch.path}
          disabled={!hasMore}
          onClick={() => setOpen(!isOpen)}
        >
          {hasMore ? (isOpen ? '▾' : '▸') : ''}
        </button>
        <button
          type="button"
          class={css['leaf']}
          aria-pressed={chosen === wanted.toLowerCase()}
          onClick={() => onChoose(chosen === wanted.toLowerCase() ? undefined : wanted)}
        >
          <Mark name={branch.worst} word={texts.states[branch.worst]} />
          <span class="cut">{branch.name}</span>
          <Counted down={branch.down} total={branch.total} />
        </button>
      </div>
      {hasMore && isOpen && (
        <ul>
          {branch.branches.map((each) => (
            <Level key={each.path} branch={each} chosen={chosen} onChoose={onChoose} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The paths of all tags, each with the worst state and counts of what it holds. */
export function TagTree({ chosen, onChoose }: TreeProps) {
  return (
    <nav class={css['side']} aria-label={say.tags}>
      <h2>{say.tags}</h2>
      <ul>
        <li>
          <button
            type="button"
            class={`${css['leaf']} ${css['root']}`}
            aria-pressed={chosen === undefined}
            onClick={() => onChoose(undefined)}
          >
            <Mark name={worst.value} />
            <span>{say.all}</span>
            <Counted down={counts.value.Down} total={rows.value.length} />
          </button>
        </li>
        {branches.value.map((branch) => (
          <Level key={branch.path} branch={branch} chosen={chosen} onChoose={onChoose} />
        ))}
      </ul>
      {branches.value.length === 0 && progress.value === 'ready' && (
        <p class={`hint ${css['noTags']}`}>{say.noTags}</p>
      )}
    </nav>
  );
}
