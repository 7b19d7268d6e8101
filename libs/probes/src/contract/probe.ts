import type { Json, Method, ResultCode } from '@vantage/domain';
import type { Secret } from '@vantage/kernel';
import type { CheckSpec } from '@vantage/proto';
import type { z } from 'zod';
import type { Dial, DialContext, Peer, Phases } from './dial.ts';

/** The wire's name of a method's arm. */
export type OptionsCase = NonNullable<CheckSpec['options']['case']>;

/** Facts and diagnostics beside the measurement; secrets are masked before they get here. */
export type Extended = { readonly [key: string]: Json };

/** The result of a probe's run: an expected outcome, good or bad, never thrown. */
export interface Outcome {
  readonly code: ResultCode;
  /** One line for people: `200 OK`, `connection refused by 10.0.0.1:25`. */
  readonly text: string;
  /** Bytes of the answer. */
  readonly dataSize: number;
  readonly extended: Extended;
  /**
   * The answer that a script gets beside the measurement: an HTTP status and body, the row of a query. Asked only then,
   * never stored.
   */
  readonly answer?: () => { readonly [key: string]: Json };
}

/** A check that a script runs. */
export interface StepRequest {
  readonly method: Method;
  /** URL and Options as the REST API would take them, the letter case of the Options' keys aside. */
  readonly url: string;
  readonly options: Json;
  /** Default: the time of the whole check. */
  readonly timeoutMs?: number;
  /** A mail that SMTP really sends; a device's own check never sends anything. */
  readonly message?: string;
}

/** The result of such a check; `message` is the fault of a request that was not run. */
export type StepResult =
  | {
      readonly ok: true;
      readonly measurement: Measurement;
      readonly answer: { readonly [key: string]: Json };
    }
  | { readonly ok: false; readonly message: string };

/** The context of a probe. Everything that reaches the network goes through `dial` (or libs/icmp). */
export interface ProbeContext extends DialContext {
  readonly dial: Dial;
  readonly random: () => number;
  /** The values behind a script's `secret("NAME")`; hidden like everything secret. */
  readonly secrets?: ReadonlyMap<string, Secret> | undefined;
  /** A mail to send instead of merely asking whether it would be taken (`StepRequest.message`). */
  readonly message?: string | undefined;
  /** Runs a check of another method under this one's deadline and policy; only Script does so. */
  runStep(step: StepRequest): Promise<StepResult>;
  /** Text that must not be shown: every text and extended string of this check has it replaced by `***`. */
  redact(secret: string): void;
}

/** The parsed form of a device's URL. */
export interface Target {
  /** As the API shows it: the password replaced by `***`. */
  readonly display: string;
  /** Name or address, without brackets; empty for Script. */
  readonly host: string;
  readonly port: number;
  readonly scheme: string;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** The rest after host and port, beginning with `/`, or ''. */
  readonly path: string;
  /** The URL as given. */
  readonly url: string;
}

/** The answer of `parseTarget`: the target, or a message with the accepted forms. */
export type TargetResult =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly message: string };

/**
 * A method: one file, one literal. The controller uses `parseTarget` and `options` to validate, describe and mask; the
 * agent uses `run`.
 */
export interface Probe<Name extends Method = Method, Schema extends z.ZodType = z.ZodType> {
  readonly method: Name;
  /** For users: a check of the method, and when it is good (docs/methods.md). */
  readonly purpose: string;
  /** A device of the method, as a client would create it. */
  readonly example: { readonly URL: string; readonly ShortName: string; readonly Options: z.input<Schema> };
  /** The arm of `CheckSpec.options` that carries the Options. */
  readonly optionsCase: OptionsCase;
  /**
   * The REST Options object: CamelCase keys, unknown keys refused (z.strictObject), defaults applied, descriptions for
   * the OpenAPI document.
   */
  readonly options: Schema;
  /**
   * Keys of Options (dotted for nested ones) that come back as `***`. Letter case does not count and `*` stands for any
   * text, as in `Headers.X-*-Key`; `secretPaths` in registry.ts finds what a given Options object holds of them.
   */
  readonly secretOptions: readonly string[];
  /** The functions by which scripts run the method, by name. Script itself has none. */
  readonly scriptFunctions: MethodFunctions;
  /**
   * The packets of a traceroute towards a target that did not answer: those of the checks. A script has no target of
   * its own.
   */
  readonly tracePackets: 'tcp' | 'udp' | 'icmp' | 'none';
  /** Reads a device's URL, or returns a message with the accepted forms. Pure. */
  parseTarget(url: string): TargetResult;
  /**
   * Runs one check. Returns an outcome for everything that can happen to a target; throws `Failure` (see failure.ts)
   * where that reads better. `run.ts` turns both, and any unexpected error, into a measurement.
   */
  run(context: ProbeContext, target: Target, options: z.output<Schema>): Promise<Outcome>;
}

/**
 * Any method's probe, as the registry holds it; its Options are `unknown`, because their type depends on the method.
 */
export type AnyProbe = Probe;

/** One check as measured: what `runProbe` returns, ready for the wire. */
export interface Measurement {
  readonly code: ResultCode;
  readonly text: string;
  readonly phases: Phases;
  readonly dataSize: number;
  readonly slow: boolean;
  /** The addresses that the check spoke to or tried; empty where it came to none, or is a script. */
  readonly peers: readonly Peer[];
  readonly extended: Extended;
  /** The agent found that it proves nothing, because an anchor on the way to the target does not answer. */
  readonly behindAnchor?: boolean;
}

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
