import type { AccountState } from './account-state.ts';
import type { ApplyPlan, PlanOptions, PlanStep, Prune } from './apply-plan.ts';
import { contactProblems } from './contact-address.ts';
import type { DesiredResource } from './desired-resource.ts';
import { deviceProblems } from './device-problems.ts';
import type { AccountResource, FileEntry } from './managed-kinds.ts';
import { matchResources } from './match-resources.ts';
import { inCreationOrder, inDeletionOrder } from './plan-order.ts';
import { ownershipProblems } from './plan-problems.ts';
import { createNameLookup, stepFor } from './plan-step.ts';
import { resolveEntries } from './resolve-entries.ts';

/** Plans the changes from the account to the entries. Pure. */
export function planOf(
  entries: readonly FileEntry[],
  account: AccountState,
  options: PlanOptions,
): ApplyPlan {
  const { source, prune } = options;
  const matches = matchResources(entries, account.resources);
  const resolved = resolveEntries(entries, account, matches);
  const desired: readonly DesiredResource[] = resolved.desired;
  const lookUpName = createNameLookup(account.resources);
  const steps: PlanStep[] = [];
  const problems = [...resolved.problems, ...deviceProblems(desired), ...contactProblems(desired)];
  let unchanged = 0;
  for (const resource of inCreationOrder(desired)) {
    const step = stepFor(resource, account, options, lookUpName);
    const found = ownershipProblems(resource, account.resources, options, step !== undefined);
    problems.push(...found.all);
    if (found.isBlocked) continue;
    if (step === undefined) unchanged += 1;
    else steps.push(step);
  }
  const keptIds = new Set(desired.flatMap(({ resource }) => resource?.id ?? []));
  const gone =
    source === undefined
      ? []
      : account.resources.filter((resource) => resource.source === source && !keptIds.has(resource.id));
  const pruned =
    prune === undefined ? [] : inDeletionOrder(gone).flatMap((resource) => pruneSteps(resource, prune));
  return { steps: [...steps, ...pruned], unchanged, gone: prune === undefined ? gone : [], problems };
}

function pruneSteps({ kind, id, key, name, settings }: AccountResource, prune: Prune): readonly PlanStep[] {
  const shared = { kind, key: key ?? '', name, id, at: () => '' } as const;
  switch (prune) {
    case 'delete':
      return [{ ...shared, verb: 'delete', body: {}, fields: [] }];
    case 'forget':
      return [{ ...shared, verb: 'forget', body: { Source: null }, fields: [] }];
    case 'pause': // Only devices can be paused.
      return kind === 'device' && settings['Enabled'] !== false
        ? [{ ...shared, verb: 'pause', body: { Enabled: false }, fields: [] }]
        : [];
  }
}
