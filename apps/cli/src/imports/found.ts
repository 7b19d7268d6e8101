import type { Json, Method } from '@vantage/domain';

/** Options of a Method as they are written into the file; secrets are in clear until `settle` replaces them. */
export type FoundOptions = Readonly<Record<string, Json | undefined>>;

/** A check of another tool, in words that all tools share. What is absent takes the default of the API. */
export interface FoundCheck {
  /** Where the file has it, for messages: `line 7`, `monitor 12`. */
  readonly at: string;
  /** Name for people. */
  readonly name: string;
  /** Its identity in the other tool, the same in each run; `master` of others refers to it. Default: the name. */
  readonly id?: string | undefined;
  readonly method: Method;
  readonly url: string;
  readonly options?: FoundOptions | undefined;
  /** A wish; it is shortened and made unique. Default: the name. */
  readonly shortName?: string | undefined;
  readonly intervalSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Failing checks until it is down. */
  readonly attempts?: number | undefined;
  readonly retryDelaySeconds?: number | undefined;
  /** Paths such as `berlin/rack-1`. */
  readonly tags?: readonly string[] | undefined;
  /** `id` of the check on which it depends. */
  readonly master?: string | undefined;
  readonly locations?: readonly string[] | undefined;
  readonly severity?: 'info' | 'warning' | 'critical' | undefined;
  /** false: the other tool has it paused. */
  readonly enabled?: boolean | undefined;
  /** Settings of this check that have no counterpart: one sentence part each. */
  readonly lost?: readonly string[] | undefined;
}

/** Something of the file with what became of it. */
export interface Finding {
  readonly at: string;
  readonly name: string;
  readonly text: string;
}

/**
 * A file as its format's reader understood it. Each thing that could be a check is in `checks`, `refused` or `became`.
 */
export interface Reading {
  /** The format's word for the things that are counted: `rows`, `monitors`. */
  readonly things: string;
  readonly checks: readonly FoundCheck[];
  /** Not carried over, and why. */
  readonly refused: readonly Finding[];
  /** Carried over as something else than a device: a group as a tag. */
  readonly became?: readonly Finding[];
  /** How the file was understood: the columns of a table. */
  readonly shown?: readonly string[];
  /** Parts of the file that are no checks and are not carried over: notifications, pages. */
  readonly ignored?: readonly string[];
}

/** A reading in the making. */
export interface Collector {
  readonly checks: FoundCheck[];
  readonly refused: Finding[];
  readonly became: Finding[];
  readonly ignored: string[];
}

/** Creates an empty reading, which a reader fills. */
export function collector(): Collector {
  return { checks: [], refused: [], became: [], ignored: [] };
}

/**
 * Method, URL and Options of a check, with what has no counterpart; a text is the reason why it cannot be carried over.
 */
export type FoundTarget =
  | {
      readonly method: Method;
      readonly url: string;
      readonly options?: FoundOptions;
      readonly lost?: readonly string[];
    }
  | string;
