import type { ListedSettings } from './apply-file.ts';
import type { LinePlan } from './import-plan.ts';

/** A line of an import that the API carried out. */
export interface ImportedLine {
  readonly plan: LinePlan;
  readonly device_id: string;
}

/** A request of the undo of an import. */
interface UndoRequest {
  readonly Method: 'DELETE' | 'PUT';
  readonly Path: string;
  readonly Body?: object;
}

/** The undo of an import: added devices are deleted, and changed ones get their former settings. */
export interface ImportUndo {
  readonly requests: readonly UndoRequest[];
  /** Changed devices whose Options stay, because they have secrets, which the API does not return. */
  readonly kept: number;
}

const isFrequency = (field: string) => field === 'Frequency' || field === 'FrequencySeconds';

function formerSettings(fields: readonly string[], before: ListedSettings): Record<string, unknown> {
  const stored: Readonly<Record<string, unknown>> = { ...before };
  const body: Record<string, unknown> = {};
  for (const field of fields)
    if (field === 'Tags') body[field] = before.Tags.map(({ Name }) => Name);
    else if (!isFrequency(field)) body[field] = stored[field];
    // The API takes one of the two.
    else if (before.FrequencySeconds === null) body['Frequency'] = before.Frequency;
    else body['FrequencySeconds'] = before.FrequencySeconds;
  return body;
}

const hasMask = (value: unknown) => JSON.stringify(value ?? null).includes('***');

/** Plans the undo. `before`: the settings before the import, by device_id. Pure. */
export function undoOfImport(
  imported: readonly ImportedLine[],
  before: ReadonlyMap<string, ListedSettings>,
): ImportUndo {
  let kept = 0;
  const requests = imported.toReversed().flatMap(({ plan, device_id }): readonly UndoRequest[] => {
    const Path = `/devices/${device_id}`;
    if (plan.kind === 'new') return [{ Method: 'DELETE', Path }];
    const settings = before.get(device_id);
    if (settings === undefined || plan.kind === 'same') return [];
    const isKept = plan.fields.includes('Options') && hasMask(settings.Options);
    if (isKept) kept += 1;
    const fields = plan.fields.filter((field) => field !== 'Options' || !isKept);
    const Body = {
      ...formerSettings(fields, settings),
      ...(plan.body['device_master_id'] === undefined ? {} : { device_master_id: settings.device_master_id }),
    };
    return Object.keys(Body).length === 0 ? [] : [{ Method: 'PUT', Path, Body }];
  });
  return { requests, kept };
}
