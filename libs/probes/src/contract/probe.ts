import type { Json, MeasuredValue, Method, ResultCode } from '@vantage/domain';
import type { Secret } from '@vantage/kernel';
import type { CheckSpec } from '@vantage/proto';
import type { z } from 'zod';
import type { Dial, DialContext, Peer, Phases } from './dial.ts';

/** The wire's name of a Method's arm. */
export type OptionsCase = NonNullable<CheckSpec['options']['case']>;

/** Facts and diagnostics of a check. Secrets are masked already. */
export type Extended = { readonly [key: string]: Json };

/** The result of a probe's run, good or bad. */
export interface ProbeOutcome {
  readonly code: ResultCode;
  /** One line for people: `200 OK`, `connection refused by 10.0.0.1:25`. */
  readonly text: string;
  /** Bytes of the answer. */
  readonly dataSize: number;
  readonly extended: Extended;
  /** The values that the check measured, at most `maxValues`, each Label once. */
  readonly values?: readonly MeasuredValue[];
  /**
   * The answer that a script receives in addition: an HTTP status and body, the row of a query. Called only for
   * scripts, never stored.
   */
  readonly answer?: () => { readonly [key: string]: Json };
}

/** A check that a script runs. */
export interface StepRequest {
  readonly method: Method;
  /** URL and Options as in the REST API, but the letter case of the Options' keys does not matter. */
  readonly url: string;
  readonly options: Json;
  /** The Method by which the policy decides; default: `method`. */
  readonly policyMethod?: Method;
  /** Default: the time of the whole check. */
  readonly timeoutMs?: number;
  /** A mail that SMTP really sends; the check of a device never sends one. */
  readonly message?: string;
}

/** `message` is the fault of a request that was not run. */
export type StepResult =
  | {
      readonly ok: true;
      readonly measurement: Measurement;
      readonly answer: { readonly [key: string]: Json };
    }
  | { readonly ok: false; readonly message: string };

/** The context of a probe. All network access goes through `dial` (or libs/icmp). */
export interface ProbeContext extends DialContext {
  readonly dial: Dial;
  readonly random: () => number;
  /**
   * The device of this check, for a Method that remembers figures from one check to the next (counters). undefined:
   * nothing is remembered.
   */
  readonly device?: string | undefined;
  /** The values for a script's `secret("NAME")`; masked like all secrets. */
  readonly secrets?: ReadonlyMap<string, Secret> | undefined;
  /** A mail to send, instead of only testing whether the server would accept it (`StepRequest.message`). */
  readonly message?: string | undefined;
  /** Runs a check of another Method under this deadline and policy. */
  runStep(step: StepRequest): Promise<StepResult>;
  /** Names the part of the check that runs, such as `step 2 (Log in)`, for the text of a timeout. */
  beginPart(title: string | undefined): void;
  /** Adds a secret, which every text and extended string of this check shows as `***`. */
  redact(secret: string): void;
}

/** The parsed form of a device's URL. */
export interface Target {
  /** As the API shows it, with `***` for the password. */
  readonly display: string;
  /** Name or address, without brackets; empty for Script. */
  readonly host: string;
  readonly port: number;
  readonly scheme: string;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  /** The part after host and port, beginning with `/`, or ''. */
  readonly path: string;
  /** The unparsed URL. */
  readonly url: string;
}

/** `message` names the accepted forms. */
export type TargetResult =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly message: string };

/** A Method. The controller uses `parseTarget` and `options` to validate, describe and mask; the agent uses `run`. */
export interface Probe<Name extends Method = Method, Schema extends z.ZodType = z.ZodType> {
  readonly method: Name;
  /** For users: a description of a check, and of a good result (docs/methods.md). */
  readonly purpose: string;
  /** A device of the Method, as a client creates it. */
  readonly example: { readonly URL: string; readonly ShortName: string; readonly Options: z.input<Schema> };
  /** The arm of `CheckSpec.options` that carries the Options. */
  readonly optionsCase: OptionsCase;
  /**
   * The REST Options object: CamelCase keys, no unknown keys (z.strictObject), with defaults and with descriptions for
   * the OpenAPI document.
   */
  readonly options: Schema;
  /**
   * Keys of Options (dotted for nested ones) that the API shows as `***`. Letter case does not matter, and `*` matches
   * any text, as in `Headers.X-*-Key`. `secretPaths` finds those of an Options object.
   */
  readonly secretOptions: readonly string[];
  /** The functions by which scripts run the Method, by name. Script has none. */
  readonly scriptFunctions: MethodFunctions;
  /** The packets of a traceroute to a silent target: those of the checks. A script has no target. */
  readonly tracePackets: 'tcp' | 'udp' | 'icmp' | 'none';
  /** Reads a device's URL. Pure. */
  parseTarget(url: string): TargetResult;
  /**
   * Runs one check. Returns an outcome, good or bad, or throws a `Failure`. `run.ts` turns both, and any unexpected
   * error, into a measurement.
   */
  run(context: ProbeContext, target: Target, options: z.output<Schema>): Promise<ProbeOutcome>;
  /** Lists what the device offers to watch, as `Offer` of the extended data, instead of checking it. */
  offer?(context: ProbeContext, target: Target, options: z.output<Schema>): Promise<ProbeOutcome>;
}

/** The probe of any Method. Its Options are `unknown`, because their type depends on the Method. */
export type AnyProbe = Probe;

/** One measured check, ready for the wire. */
export interface Measurement {
  readonly code: ResultCode;
  readonly text: string;
  readonly phases: Phases;
  readonly dataSize: number;
  readonly slow: boolean;
  /** The addresses that the check used or tried; empty if it reached none, or is a script. */
  readonly peers: readonly Peer[];
  readonly extended: Extended;
  /** Fit to be stored (`valueFault`), each Label once; absent: there are none. */
  readonly values?: readonly MeasuredValue[];
  /** The check proves nothing, because an anchor on the way to the target does not answer. */
  readonly behindAnchor?: boolean;
}

/** The argument of a script's call: the Options with a lowercase first letter, and the members of the call. */
export type CallOptions = Readonly<Record<string, Json>>;

/** A member of a call's argument or result in the declarations for scripts. */
export interface DeclaredMember {
  /** A TypeScript type. */
  readonly type: string;
  readonly description?: string;
}

/** A function by which a script runs a check. Its parameters are the Method's Options and the members below. */
export interface ScriptFunction {
  /** One or two sentences for the declarations. */
  readonly description: string;
  /** The members that name the target. All except `host` (a target without a port) accept the device's URL instead. */
  readonly target: 'host' | 'host and port' | 'url' | 'name';
  /** Parameters that are not Options, or that accept more types than their Option. `message` is a mail to send. */
  readonly parameters?: Readonly<Record<string, DeclaredMember>>;
  /** The members of `ProbeOutcome.answer`, which the result has in addition to the measurement. */
  readonly result?: Readonly<Record<string, DeclaredMember>>;
  /** The call uses TLS from the start and has the settings of `TLS` as parameters. Default: it has `tls`. */
  readonly implicitTls?: boolean;
  /** Turns convenient parameters into Options. Pure. */
  prepare?(options: CallOptions): CallOptions;
}

/** The functions of one Method, by name. */
export type MethodFunctions = Readonly<Record<string, ScriptFunction>>;

/** All functions by which scripts run checks, by name, with their Methods. */
export type CheckFunctions = ReadonlyMap<string, ScriptFunction & { readonly method: Method }>;
