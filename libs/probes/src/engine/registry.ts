import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type Method, methods } from '@vantage/domain';
import { Secret } from '@vantage/kernel';
import { type CheckSpec, CheckSpecSchema } from '@vantage/proto';
import type { AnyProbe, CheckFunctions, Target } from '../contract/probe.ts';
import { refusedTargetText } from '../contract/target.ts';
import { dns } from '../methods/dns/dns.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { http } from '../methods/http/http.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { mysql } from '../methods/mysql/mysql.ts';
import { nntp } from '../methods/nntp.ts';
import { ping } from '../methods/ping/ping.ts';
import { pop3 } from '../methods/pop3.ts';
import { createSandbox } from '../methods/script/sandbox.ts';
import { createScript } from '../methods/script/script.ts';
import { smtp } from '../methods/smtp.ts';
import { ssh } from '../methods/ssh/ssh.ts';
import { tcp } from '../methods/tcp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { fillLocal } from '../redact/local-secrets.ts';

/** The probes that a script's functions run: every method but Script itself. */
const callable = {
  HTTP: http,
  PING: ping,
  SMTP: smtp,
  POP3: pop3,
  MySQL: mysql,
  IMAP4: imap4,
  FTP: ftp,
  TELNET: telnet,
  SSH: ssh,
  NNTP: nntp,
  TCP: tcp,
  DNS: dns,
} satisfies Readonly<Record<Exclude<Method, 'Script'>, AnyProbe>>;

/** The functions by which scripts run the other methods. */
export const checkFunctions: CheckFunctions = new Map(
  Object.values(callable).flatMap(({ method, scriptFunctions }: AnyProbe) =>
    Object.entries(scriptFunctions).map(([name, each]) => [name, { ...each, method }] as const),
  ),
);

/** Every method's probe; a method without one does not compile. */
export const registry: Readonly<Record<Method, AnyProbe>> = {
  ...callable,
  // Its sandbox starts with the first script.
  Script: createScript({ sandbox: createSandbox(), functions: checkFunctions }),
};

/** The probe of a method; undefined for a text that names none. Methods are spelled exactly as the API does. */
export function probeFor(method: string): AnyProbe | undefined {
  const known = methods.find((each) => each === method);
  return known === undefined ? undefined : registry[known];
}

/** The method of a CheckSpec; undefined for one that this build does not have. */
export function methodOf(spec: CheckSpec): Method | undefined {
  return methods.find((each) => registry[each].optionsCase === spec.options.case);
}

/** A check whose settings are read already. */
export interface ReadyCheck {
  readonly probe: AnyProbe;
  readonly target: Target;
  /** As `probe.options` parsed them. */
  readonly options: unknown;
  readonly timeoutMs: number;
  /** The values behind a script's `secret("NAME")`. */
  readonly secrets?: ReadonlyMap<string, Secret>;
}

/** A CheckSpec's probe, target and Options, or why it cannot be run. */
export type SpecReading =
  | { readonly ok: true; readonly check: ReadyCheck }
  | { readonly ok: false; readonly message: string };

/**
 * REST Options (as `probe.options` accepts them) → the wire's CheckSpec, by protobuf's own JSON mapping: the Options'
 * keys are the messages' json_names. Throws on a key that the message lacks, which the registry's test makes
 * impossible.
 */
export function specOf(check: {
  readonly method: Method;
  readonly url: string;
  readonly timeoutMs: number;
  readonly options: JsonValue;
}): CheckSpec {
  const probe = registry[check.method];
  const spec = fromJson(CheckSpecSchema, { [probe.optionsCase]: check.options });
  spec.url = check.url;
  spec.timeoutMs = check.timeoutMs;
  return spec;
}

/** The lookup of an agent without secrets of its own. */
const noLocal = () => undefined;

/**
 * The wire's CheckSpec → probe, target and parsed Options; what is absent on the wire takes the probe's default.
 * `local` is what the agent's own secrets file holds for `${local:NAME}`.
 */
export function readSpec(
  given: CheckSpec,
  local: (name: string) => string | undefined = noLocal,
): SpecReading {
  if (given.problem !== '') return { ok: false, message: given.problem };
  const filling = fillLocal(given, optionsJson(given), local);
  if (!filling.ok) return filling;
  const { spec } = filling;
  const arm = spec.options.case;
  const probe = Object.values(registry).find((each) => each.optionsCase === arm);
  if (arm === undefined || !probe) {
    return {
      ok: false,
      message: `this agent's build has no probe for ${arm ?? 'a check without method'}: upgrade it`,
    };
  }
  const parsed = probe.options.safeParse(optionsJson(spec));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    // The controller validated the Options before the secrets were filled in.
    const isFilled = Object.keys(spec.secrets).length > 0 && issue?.code !== 'unrecognized_keys';
    return {
      ok: false,
      message: isFilled
        ? `${issue?.path.join('.')} cannot be used with its secret filled in: ${issue?.message}`
        : `the controller sent Options that this agent's build does not know: upgrade it`,
    };
  }
  const found = probe.parseTarget(spec.url);
  if (!found.ok) return { ok: false, message: `URL ${refusedTargetText(found.message)}` };
  return {
    ok: true,
    check: {
      probe,
      target: found.target,
      options: parsed.data,
      timeoutMs: spec.timeoutMs,
      secrets: new Map(Object.entries(spec.secrets).map(([name, value]) => [name, new Secret(value)])),
    },
  };
}

/** The Options object inside a CheckSpec, as the REST API spells it. */
function optionsJson(spec: CheckSpec): JsonValue {
  const arm = spec.options.case;
  if (arm === undefined) return {};
  const json = toJson(CheckSpecSchema, create(CheckSpecSchema, { options: spec.options }));
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json[arm] ?? {}) : {};
}
