import { computed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { count as number } from '../../model/format.ts';
import { worstOf } from '../../model/state.ts';
import { type Branch, tagTree, visibleBranches } from '../../model/tag-tree.ts';
import { Icon } from '../../parts/icon.tsx';
import { useRoving } from '../../parts/roving.ts';
import { arePartsMissing, counts, early, progress, rows } from '../../store/account-state.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './devices.module.css';
import { devicesTexts } from './devices-texts.ts';

const say = devicesTexts;

// A tree of some of the devices would grow under the pointer.
const branches = computed(() => (arePartsMissing.value ? [] : tagTree(rows.value)));
const worst = computed(() => worstOf(rows.value.map(({ state }) => state)));
/** Branches that a person opened (true) or closed. The others are open if a device in them is Down. */
const opened = accountSignal<ReadonlyMap<string, boolean>>(new Map());
const isOpen = ({ path, down }: Branch) => opened.value.get(path) ?? down > 0;
const visible = computed(() => visibleBranches(branches.value, isOpen));

const setOpen = (branch: Branch, open: boolean) => {
  opened.value = new Map([...opened.value, [branch.path, open]]);
};
const filterOf = ({ path, branches: below }: Branch) => (below.length > 0 ? `${path}/*` : path);

interface TreeProps {
  readonly chosen: string | undefined;
  readonly onChoose: (tag: string | undefined) => void;
}

function DownOfTotal({ down, total }: { readonly down: number; readonly total: number }) {
  return (
    <span class={css['counted']}>
      {down > 0 && <b>{number(down)}</b>}
      {down > 0 && ' / '}
      {number(total)}
    </span>
  );
}

/** The worst state of all devices and their numbers, as far as they are read. */
function AllDevices() {
  const isRead = rows.value.length > 0;
  const known = isRead ? { down: counts.value.Down, total: rows.value.length } : early.value;
  return (
    <>
      <Icon name={isRead ? worst.value : known !== undefined && known.down > 0 ? 'Down' : 'Other'} />
      <span>{say.all}</span>
      {known !== undefined && <DownOfTotal down={known.down} total={known.total} />}
    </>
  );
}

const levels = ['', css['level1'], css['level2'], css['level3']];
const maxIndent = 3;

function TreeItem({
  branch,
  level,
  chosen,
  onChoose,
}: TreeProps & { readonly branch: Branch; readonly level: number }) {
  const hasMore = branch.branches.length > 0;
  const tag = filterOf(branch);
  const isChosen = chosen === tag.toLowerCase();
  const choose = () => onChoose(isChosen ? undefined : tag);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') choose();
    else if (event.key === 'ArrowRight' && hasMore) setOpen(branch, true);
    else if (event.key === 'ArrowLeft' && hasMore) setOpen(branch, false);
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-level={level}
      aria-expanded={hasMore ? isOpen(branch) : undefined}
      aria-selected={isChosen}
      class={`${css['leaf']} ${levels[Math.min(level, maxIndent)]}`}
      onClick={choose}
      onKeyDown={press}
    >
      <span
        class={css['twist']}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          if (hasMore) setOpen(branch, !isOpen(branch));
        }}
      >
        {hasMore ? (isOpen(branch) ? '▾' : '▸') : ''}
      </span>
      <Icon name={branch.worst} word={deviceWords.states[branch.worst]} />
      <span class="cut">{branch.name}</span>
      <DownOfTotal down={branch.down} total={branch.total} />
    </div>
  );
}

/** The paths of all tags, each with the worst state and the counts of its devices. One Tab stop; arrow keys move. */
export function TagTree({ chosen, onChoose }: TreeProps) {
  const tree = useRef<HTMLDivElement>(null);
  useRoving(tree, 'column');
  const showAll = () => onChoose(undefined);
  return (
    <nav class={css['side']} aria-label={say.tags}>
      <h2>{say.tags}</h2>
      <div ref={tree} role="tree" aria-label={say.tags}>
        <div
          role="treeitem"
          tabIndex={-1}
          aria-level={1}
          aria-selected={chosen === undefined}
          class={css['leaf']}
          onClick={showAll}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            showAll();
          }}
        >
          <span class={css['twist']} aria-hidden="true" />
          <AllDevices />
        </div>
        {visible.value.map(({ branch, level }) => (
          <TreeItem key={branch.path} branch={branch} level={level} chosen={chosen} onChoose={onChoose} />
        ))}
      </div>
      {branches.value.length === 0 && progress.value === 'ready' && (
        <p class={`hint ${css['noTags']}`}>{say.noTags}</p>
      )}
    </nav>
  );
}
