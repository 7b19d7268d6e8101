import type { Json, Method } from '@vantage/domain';

/**
 * The argument of a script's call: the Options with a small first letter, and the members that belong to the call
 * itself.
 */
export type CallOptions = Readonly<Record<string, Json>>;

/** A member of a call's argument or of its result, as the declarations for scripts show it. */
export interface DeclaredMember {
  /** A TypeScript type. */
  readonly type: string;
  readonly description?: string;
}

/**
 * A function by which a script runs a method's check. Its parameters are the method's Options and the members below.
 */
export interface ScriptFunction {
  /** The description of the function: one sentence or two, for the declarations. */
  readonly description: string;
  /** The members that name the target. All but `host` (a target without a port) also take the device's URL instead. */
  readonly target: 'host' | 'host and port' | 'url' | 'name';
  /**
   * Parameters that are no Options, or that take more types than their Option. `message` is the text of a mail to send.
   */
  readonly parameters?: Readonly<Record<string, DeclaredMember>>;
  /** The fields of the result besides the measurement: the members of `Outcome.answer`. */
  readonly result?: Readonly<Record<string, DeclaredMember>>;
  /**
   * The call speaks TLS from the start and takes the settings of `TLS` as its own parameters. Default: it takes `tls`.
   */
  readonly implicitTls?: boolean;
  /** Turns convenient parameters into the Options that they stand for. Pure. */
  prepare?(options: CallOptions): CallOptions;
}

/** The functions of one method, by name. */
export type MethodFunctions = Readonly<Record<string, ScriptFunction>>;

/** Every function that scripts have for a check, by name, with its method. */
export type CheckFunctions = ReadonlyMap<string, ScriptFunction & { readonly method: Method }>;
