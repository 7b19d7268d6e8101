import { useState } from 'preact/hooks';
import bar from '../../parts/selection-bar.module.css';
import type { DeviceListRow } from '../../store/account-state.ts';
import { mayWrite } from '../../store/credential.ts';
import { formTexts } from '../../texts/form-texts.ts';
import { bulkTexts as say } from './bulk-texts.ts';
import { ChangeDialog } from './change-dialog.tsx';
import type { ChangeKind } from './change-draft.ts';
import css from './devices.module.css';
import { ReportButton } from './report-button.tsx';
import { type BulkWork, useBulkChange } from './use-bulk-change.ts';

function WorkProgress({ work, onUndo }: { readonly work: BulkWork; readonly onUndo: () => void }) {
  if (work.outcome === undefined)
    return (
      <progress
        class={css['meter']}
        max={work.total}
        value={work.done}
        aria-label={say.changing(work.done, work.total)}
      />
    );
  if (work.undo === undefined || work.undo.length === 0) return null;
  return (
    <button type="button" onClick={onUndo}>
      {say.undo}
    </button>
  );
}

function ChangeButtons({
  isDisabled,
  onAct,
}: {
  readonly isDisabled: boolean;
  readonly onAct: (kind: ChangeKind) => void;
}) {
  const shown: readonly ChangeKind[] = mayWrite.value
    ? ['maintenance', 'pause', 'resume', 'tags', 'settings', 'remove']
    : ['maintenance'];
  return (
    <>
      {shown.map((kind) => (
        <button key={kind} type="button" disabled={isDisabled} onClick={() => onAct(kind)}>
          {say.buttons[kind]}
        </button>
      ))}
    </>
  );
}

/** The changes of all selected devices: each with a preview of the controller, its progress, and an undo. */
export function SelectionBar({
  rows,
  outside,
  matching,
  isAll,
  filter,
  onAll,
  onClear,
}: {
  readonly rows: readonly DeviceListRow[];
  /** The number of selected devices that no longer match the filter. */
  readonly outside: number;
  /** The number of devices that match the filter. */
  readonly matching: number;
  readonly isAll: boolean;
  readonly filter: string;
  readonly onAll: () => void;
  readonly onClear: () => void;
}) {
  const [asked, setAsked] = useState<ChangeKind>();
  const { work, run, takeBack } = useBulkChange(rows);
  const isRunning = work !== undefined && work.outcome === undefined;
  if (rows.length === 0 && work === undefined) return null;
  const words = isRunning
    ? say.changing(work.done, work.total)
    : (work?.outcome ?? (isAll ? say.allMatching(rows.length) : say.selected(rows.length)));
  return (
    <>
      <section class={`${bar['bar']} ${css['selection']}`} aria-label={say.selection}>
        <b role="status">{words}</b>
        {work !== undefined && <WorkProgress work={work} onUndo={() => void takeBack()} />}
        {outside > 0 && !isRunning && <span>{say.outside(outside)}</span>}
        {!isAll && !isRunning && (
          <button type="button" class={css['wording']} onClick={onAll}>
            {say.allMatching(matching)}
          </button>
        )}
        <ChangeButtons isDisabled={isRunning || rows.length === 0} onAct={setAsked} />
        <ReportButton rows={rows} filter={isAll ? filter : undefined} />
        <button type="button" class={css['clear']} onClick={onClear}>
          {formTexts.clear} <kbd>Esc</kbd>
        </button>
      </section>
      {asked !== undefined && (
        <ChangeDialog
          kind={asked}
          rows={rows}
          filter={isAll && filter !== '' ? filter : undefined}
          onRun={(change) => {
            setAsked(undefined);
            void run(change);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
