import type { Schemas } from '@vantage/client';
import { type BulkChange, type DevicesChange, partsOf } from '../model/bulk-change.ts';
import { readChanges } from './account-state.ts';
import { api, take } from './api.ts';
import { createTags, readTagNames } from './tags.ts';

/** The effect of a change, planned or done. */
export interface ChangeOutcome {
  /** The devices of the change that still exist. */
  readonly matched: number;
  readonly changed: number;
  /** The first devices that are refused, each with the reason. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

/** A previewed change, which the tokens carry out. */
export interface PreviewedChange extends ChangeOutcome {
  readonly parts: readonly { readonly change: DevicesChange; readonly token: string }[];
  /** Tags that do not exist yet. The preview does not include them. */
  readonly newTags: readonly string[];
}

type Outcome = Schemas['BulkChangeOutcome'];

const send = ({ ids, change }: DevicesChange, Token?: string): Promise<Outcome> => {
  const { Set: set, AddTags, RemoveTags, ...others } = change;
  const { Locations, ...settings } = set ?? {};
  const places = Locations === undefined ? {} : { Locations: Locations === null ? null : [...Locations] };
  const body = {
    ...others,
    Filter: { Devices: [...ids] },
    ...(set === undefined ? {} : { Set: { ...settings, ...places } }),
    ...(AddTags === undefined || AddTags.length === 0 ? {} : { AddTags: [...AddTags] }),
    ...(RemoveTags === undefined || RemoveTags.length === 0 ? {} : { RemoveTags: [...RemoveTags] }),
    ...(Token === undefined ? {} : { Token }),
  };
  return take(api.POST('/devices/change', { body }));
};

/** Asks the controller what a change would do. Nothing is changed. */
export async function previewChange(ids: readonly string[], change: BulkChange): Promise<PreviewedChange> {
  const { AddTags = [], ...others } = change;
  const known = AddTags.length === 0 ? [] : (await readTagNames()).map((name) => name.toLowerCase());
  const newTags = AddTags.filter((tag) => !known.includes(tag.toLowerCase()));
  const oldTags = AddTags.filter((tag) => known.includes(tag.toLowerCase()));
  const previewed = { ...others, ...(oldTags.length > 0 ? { AddTags: oldTags } : {}) };
  const isOnlyNewTags = newTags.length > 0 && Object.keys(previewed).length === 0;
  if (isOnlyNewTags) return { matched: ids.length, changed: ids.length, refused: [], parts: [], newTags };
  const parts: { change: DevicesChange; token: string }[] = [];
  const outcomes: Outcome[] = [];
  for (const part of partsOf({ ids, change: previewed })) {
    const outcome = await send(part);
    outcomes.push(outcome);
    parts.push({ change: part, token: outcome.Token });
  }
  const sum = sumOf(outcomes);
  const changed = newTags.length > 0 ? sum.matched - sum.refused.length : sum.changed;
  return { ...sum, changed, parts, newTags };
}

/** Carries out a previewed change. `onStep` gets the number of devices that are done. */
export async function runChange(
  ids: readonly string[],
  change: BulkChange,
  { parts, newTags }: Pick<PreviewedChange, 'parts' | 'newTags'>,
  onStep: (done: number) => void,
): Promise<ChangeOutcome> {
  let ready = parts;
  if (newTags.length > 0) {
    await createTags(newTags);
    ready = (await previewChange(ids, change)).parts;
  }
  const outcomes: Outcome[] = [];
  let done = 0;
  try {
    for (const part of ready) {
      let outcome = await send(part.change, part.token);
      // With a key that is limited to tags, each request does a part.
      while (!outcome.Done) outcome = await send(part.change, part.token);
      outcomes.push(outcome);
      done += part.change.ids.length;
      onStep(done);
    }
  } finally {
    await readChanges().catch(() => {});
  }
  return sumOf(outcomes);
}

/** Previews and carries out changes one after another: the undo of a change. */
export async function runChanges(changes: readonly DevicesChange[]): Promise<void> {
  for (const { ids, change } of changes)
    await runChange(ids, change, await previewChange(ids, change), () => {});
}

function sumOf(outcomes: readonly Outcome[]): ChangeOutcome {
  return {
    matched: outcomes.reduce((sum, { Matched }) => sum + Matched, 0),
    changed: outcomes.reduce((sum, { Changed }) => sum + Changed, 0),
    refused: outcomes.flatMap(({ Refused }) =>
      Refused.map(({ device_id, Reason }) => ({ id: device_id, reason: Reason })),
    ),
  };
}
