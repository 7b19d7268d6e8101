import { useEffect, useState } from 'preact/hooks';
import { type DevicesChange, type StoredSettings, undoOf } from '../../model/bulk-change.ts';
import { problemWords } from '../../parts/problem-words.ts';
import type { DeviceListRow } from '../../store/account-state.ts';
import { runChange, runChanges } from '../../store/bulk-change.ts';
import { deviceSettings } from '../../store/device-settings.ts';
import { undoMs } from '../../store/undo.ts';
import { bulkTexts as say } from './bulk-texts.ts';
import type { ConfirmedChange } from './change-dialog.tsx';

/** The progress of a change, or its outcome in words. */
export interface BulkWork {
  readonly done: number;
  readonly total: number;
  readonly outcome?: string;
  /** The undo of the change, while it is offered. */
  readonly undo?: readonly DevicesChange[];
}

/** Runs a change of many devices, and its undo. */
export function useBulkChange(rows: readonly DeviceListRow[]) {
  const [work, setWork] = useState<BulkWork>();
  const undo = work?.undo;
  useEffect(() => {
    if (undo === undefined) return;
    const timer = setTimeout(() => setWork((last) => last && { ...last, undo: [] }), undoMs);
    return () => clearTimeout(timer);
  }, [undo]);
  const run = async ({ ids, change, previewed }: ConfirmedChange) => {
    const total = ids.length;
    const meant = new Set(ids);
    // Before the change: an undo restores the present settings.
    const before = (deviceSettings.value ?? new Map()) as ReadonlyMap<string, StoredSettings>;
    const back = undoOf(
      change,
      rows.filter(({ id }) => meant.has(id)),
      before,
    );
    setWork({ done: 0, total });
    try {
      const outcome = await runChange(ids, change, previewed, (done) => setWork({ done, total }));
      const { changed, refused } = outcome;
      setWork({
        done: total,
        total,
        outcome: say.done(changed, refused.length, refused[0]?.reason),
        undo: back,
      });
    } catch (error) {
      setWork({ done: total, total, outcome: problemWords(error) });
    }
  };
  const takeBack = async () => {
    const changes = work?.undo ?? [];
    const total = changes.reduce((sum, { ids }) => sum + ids.length, 0);
    setWork({ done: 0, total });
    try {
      await runChanges(changes);
      setWork({ done: total, total, outcome: say.undone(total) });
    } catch (error) {
      setWork({ done: total, total, outcome: say.notUndone(problemWords(error)) });
    }
  };
  return { work, run, takeBack };
}
