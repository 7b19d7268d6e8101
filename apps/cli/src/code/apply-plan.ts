import type { Json } from '@vantage/domain';
import type { AccountResource, FileProblem, ManagedKind, ResourceSettings } from './managed-kinds.ts';

/** The treatment of resources that left the file. */
export type Prune = 'delete' | 'pause' | 'forget';

export interface PlanOptions {
  /** The owner of the file's resources; undefined: the file owns nothing, so nothing can leave it. */
  readonly source: string | undefined;
  readonly prune: Prune | undefined;
  /** Sets Keys of resources that have none. */
  readonly isAdopting: boolean;
  /** Sends the fields that the API never shows, too. */
  readonly isSendingSecrets: boolean;
}

/** One request of a plan. */
export interface PlanStep {
  readonly verb: 'create' | 'change' | 'delete' | 'pause' | 'forget';
  readonly kind: ManagedKind;
  readonly key: string;
  readonly name: string;
  /** Undefined for a creation. */
  readonly id: string | undefined;
  readonly body: ResourceSettings;
  readonly fields: readonly PlannedChange[];
  /** `FILE:LINE:COLUMN` of the entry or of one of its fields; '' for a resource that left the file. */
  readonly at: (field?: string) => string;
}

/** The requests that make the account equal to the files. */
export interface ApplyPlan {
  readonly steps: readonly PlanStep[];
  readonly unchanged: number;
  /** Resources of the source that left the file, when they are not pruned. */
  readonly gone: readonly AccountResource[];
  readonly problems: readonly FileProblem[];
}

/** A field before and after a change, with names instead of ids. */
export interface PlannedChange {
  readonly field: string;
  readonly old: Json;
  readonly new: Json;
}
