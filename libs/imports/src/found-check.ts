import type { Json, Method } from '@vantage/domain';

/** Options of a Method as the apply file has them. Secrets are in clear until `buildApplyFile` replaces them. */
export type FoundOptions = Readonly<Record<string, Json | undefined>>;

/** A check of another tool, in terms that all readers share. An absent field takes the API's default. */
export interface FoundCheck {
  /** Its position in the file, for messages: `line 7`, `monitor 12`. */
  readonly at: string;
  readonly name: string;
  /** Its identity in the other tool, the same in each run. `master` of other checks refers to it. Default: the name. */
  readonly id?: string | undefined;
  readonly method: Method;
  readonly url: string;
  readonly options?: FoundOptions | undefined;
  /** The preferred ShortName, shortened and made unique later. Default: the name. */
  readonly shortName?: string | undefined;
  readonly intervalSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** The number of failing checks until Down. */
  readonly attempts?: number | undefined;
  readonly retryDelaySeconds?: number | undefined;
  /** Paths such as `berlin/rack-1`. */
  readonly tags?: readonly string[] | undefined;
  /** `id` of the check on which it depends. */
  readonly master?: string | undefined;
  readonly locations?: readonly string[] | undefined;
  readonly severity?: 'info' | 'warning' | 'critical' | undefined;
  /** false: the other tool has paused it. */
  readonly enabled?: boolean | undefined;
  /** Its settings without a counterpart, each as a phrase: `its alerts`. */
  readonly lost?: readonly string[] | undefined;
}

/** A remark of the report about one item of the file. */
export interface ImportNote {
  readonly at: string;
  readonly name: string;
  readonly text: string;
}

/** A file as the reader of its format understood it. Each item is in `checks`, `refused` or `became`. */
export interface FormatReading {
  /** The format's word for its items: `rows`, `monitors`. */
  readonly things: string;
  readonly checks: readonly FoundCheck[];
  /** Items that are not imported, each with the reason. */
  readonly refused: readonly ImportNote[];
  /** Items that become something other than a device: a group becomes a tag. */
  readonly became?: readonly ImportNote[];
  /** How the file was read, for the report: the meaning of each column of a table. */
  readonly shown?: readonly string[];
  /** Parts of the file that are not checks and are not imported: notifications, pages. */
  readonly ignored?: readonly string[];
}

/** The lists of a `FormatReading` while a reader fills them. */
export interface ReadingBuilder {
  readonly checks: FoundCheck[];
  readonly refused: ImportNote[];
  readonly became: ImportNote[];
  readonly ignored: string[];
}

export function createReadingBuilder(): ReadingBuilder {
  return { checks: [], refused: [], became: [], ignored: [] };
}

/** Method, URL and Options of a check. */
export interface MappedTarget {
  readonly method: Method;
  readonly url: string;
  readonly options?: FoundOptions;
  /** Where the Method needs another interval than the other tool has. */
  readonly intervalSeconds?: number;
  /** Settings without a counterpart, as in `FoundCheck`. */
  readonly lost?: readonly string[];
}

/** The target of a check, or the reason why it cannot be imported. */
export type TargetOrReason = MappedTarget | string;
