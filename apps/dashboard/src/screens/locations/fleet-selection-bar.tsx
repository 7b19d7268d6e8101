import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { newestVersion } from '../../model/fleet-agent.ts';
import bar from '../../parts/selection-bar.module.css';
import { formTexts } from '../../texts/form-texts.ts';
import css from './fleet-selection.module.css';
import { fleetSelectionTexts as say } from './fleet-selection-texts.ts';
import { MoveAgentsDialog } from './move-agents-dialog.tsx';
import type { Fleet } from './read-fleet.ts';
import { RemoveAgentsDialog } from './remove-agents-dialog.tsx';
import { UpgradeAgentsDialog } from './upgrade-agents-dialog.tsx';

type Act = 'upgrade' | 'move' | 'remove';

/** The changes of all selected agents: each says first what it would do. */
export function FleetSelectionBar({
  fleet,
  selected,
  hidden,
  onClear,
  onChanged,
}: {
  readonly fleet: Fleet;
  readonly selected: readonly Schemas['Agent'][];
  /** The number of selected agents that the filter does not show. */
  readonly hidden: number;
  readonly onClear: () => void;
  readonly onChanged: () => void;
}) {
  const [act, setAct] = useState<Act>();
  const [outcome, setOutcome] = useState<{ readonly words: string; readonly isRollout: boolean }>();
  const close = () => setAct(undefined);
  const done = (words: string | undefined, isRollout = false) => {
    onChanged();
    if (words === undefined) return;
    setOutcome({ words, isRollout });
    close();
    onClear();
  };
  if (selected.length === 0 && outcome === undefined && act === undefined) return null;
  const shared = { fleet, agents: selected, onDone: done, onClose: close };
  return (
    <>
      <section class={`${bar['bar']} ${css['selection']}`} aria-label={say.selection}>
        <b role="status">{selected.length === 0 ? outcome?.words : say.selected(selected.length)}</b>
        {selected.length === 0 && outcome?.isRollout === true && (
          <a href="/locations/upgrades">{say.openUpgrades}</a>
        )}
        {hidden > 0 && <span>{say.hidden(hidden)}</span>}
        {selected.length > 0 &&
          (['upgrade', 'move', 'remove'] as const).map((each) => (
            <button key={each} type="button" onClick={() => setAct(each)}>
              {say.buttons[each]}
            </button>
          ))}
        <button
          type="button"
          class={css['clear']}
          onClick={() => {
            setOutcome(undefined);
            onClear();
          }}
        >
          {selected.length > 0 ? formTexts.clear : formTexts.close}
        </button>
      </section>
      {act === 'upgrade' && (
        <UpgradeAgentsDialog
          agents={selected}
          newest={newestVersion(fleet.agents, fleet.controllerVersion)}
          onDone={(words) => done(words, true)}
          onClose={close}
        />
      )}
      {act === 'move' && <MoveAgentsDialog {...shared} />}
      {act === 'remove' && <RemoveAgentsDialog {...shared} />}
    </>
  );
}
