import { textOf } from '../json-values.ts';
import type { PlanOptions } from './apply-plan.ts';
import type { DesiredResource } from './desired-resource.ts';
import { type AccountResource, type FileProblem, kinds } from './managed-kinds.ts';

/** The problems of a resource with its owner, its Key and its name. `isBlocked`: its step must not be carried out. */
export function ownershipProblems(
  desired: DesiredResource,
  resources: readonly AccountResource[],
  { source, isAdopting }: Pick<PlanOptions, 'source' | 'isAdopting'>,
  isChanged: boolean,
): { readonly all: readonly FileProblem[]; readonly isBlocked: boolean } {
  const blocking =
    desired.isKeyless && !isAdopting && isChanged
      ? keylessProblem(desired)
      : foreignProblem(desired, source, isChanged);
  const nameProblems = desired.resource === undefined ? sameNameProblems(desired, resources) : [];
  return {
    all: blocking === undefined ? nameProblems : [blocking, ...nameProblems],
    isBlocked: blocking !== undefined,
  };
}

/** Rejects a resource of another source, unless nothing changes and the file has no source. */
function foreignProblem(
  { entry, resource }: DesiredResource,
  source: string | undefined,
  isChanged: boolean,
): FileProblem | undefined {
  const owner = resource?.source ?? null;
  if (owner === null || owner === source || (source === undefined && !isChanged)) return undefined;
  const { what } = kinds[entry.kind];
  return {
    at: entry.at('Key'),
    text: `the ${what} ${entry.key} is managed by the source ${JSON.stringify(owner)}; remove it from one of the two files, or set its Source to null first`,
  };
}

/** A resource without a Key is adopted only with `--adopt`. */
function keylessProblem({ entry }: DesiredResource): FileProblem {
  const { what } = kinds[entry.kind];
  const same = entry.kind === 'device' ? 'with the same Method, URL and ShortName' : 'of this name';
  const text = `a ${what} ${same} already exists, without a Key; --adopt gives it the Key ${entry.key}`;
  return { at: entry.at('Key'), text };
}

/** Names are unique, except those of devices. */
function sameNameProblems(
  { entry, settings }: DesiredResource,
  resources: readonly AccountResource[],
): readonly FileProblem[] {
  if (entry.kind === 'device') return [];
  const name = textOf(settings['Name']).toLowerCase();
  const existing = resources.find(
    (resource) => resource.kind === entry.kind && textOf(resource.settings['Name']).toLowerCase() === name,
  );
  if (existing?.key == null) return [];
  const { what } = kinds[entry.kind];
  const text = `a ${what} of this name already exists, with the Key ${existing.key}; write that Key, or choose another name`;
  return [{ at: entry.at('Name'), text }];
}
