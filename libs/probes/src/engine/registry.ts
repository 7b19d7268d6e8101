import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { type Method, methods } from '@vantage/domain';
import { isRecord, Secret } from '@vantage/kernel';
import { type CheckSpec, CheckSpecSchema } from '@vantage/proto';
import type { AnyProbe, CheckFunctions, Target } from '../contract/probe.ts';
import { refusedTargetText } from '../contract/target.ts';
import { dns } from '../methods/dns/dns.ts';
import { domain } from '../methods/domain/domain.ts';
import { ftp } from '../methods/ftp/ftp.ts';
import { grpc } from '../methods/grpc/grpc.ts';
import { http } from '../methods/http/http.ts';
import { imap4 } from '../methods/imap4/imap4.ts';
import { ldap } from '../methods/ldap/ldap.ts';
import { mqtt } from '../methods/mqtt/mqtt.ts';
import { mysql } from '../methods/mysql/mysql.ts';
import { nntp } from '../methods/nntp.ts';
import { ntp } from '../methods/ntp/ntp.ts';
import { ping } from '../methods/ping/ping.ts';
import { pop3 } from '../methods/pop3.ts';
import { postgresql } from '../methods/postgresql/postgresql.ts';
import { push } from '../methods/push.ts';
import { radius } from '../methods/radius/radius.ts';
import { redis } from '../methods/redis/redis.ts';
import { createSandbox } from '../methods/script/sandbox.ts';
import { createScript } from '../methods/script/script.ts';
import { sip } from '../methods/sip/sip.ts';
import { smtp } from '../methods/smtp.ts';
import { snmp } from '../methods/snmp/snmp.ts';
import { ssh } from '../methods/ssh/ssh.ts';
import { tcp } from '../methods/tcp.ts';
import { telnet } from '../methods/telnet/telnet.ts';
import { udp } from '../methods/udp.ts';
import { websocket } from '../methods/websocket/websocket.ts';
import { fillLocal } from '../redact/local-secrets.ts';

/** The probes that scripts can run: every Method except Script, and Push, which no agent runs. */
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
  SNMP: snmp,
  UDP: udp,
  NTP: ntp,
  LDAP: ldap,
  RADIUS: radius,
  SIP: sip,
  Domain: domain,
  Redis: redis,
  PostgreSQL: postgresql,
  MQTT: mqtt,
  WebSocket: websocket,
  gRPC: grpc,
} satisfies Readonly<Record<Exclude<Method, 'Script' | 'Push'>, AnyProbe>>;

/** The functions by which scripts run the other Methods. */
export const checkFunctions: CheckFunctions = new Map(
  Object.values(callable).flatMap(({ method, scriptFunctions }: AnyProbe) =>
    Object.entries(scriptFunctions).map(([name, fn]) => [name, { ...fn, method }] as const),
  ),
);

export const registry: Readonly<Record<Method, AnyProbe>> = {
  ...callable,
  Push: push,
  // Its sandbox starts with the first script.
  Script: createScript({ sandbox: createSandbox(), functions: checkFunctions }),
};

/** The probe of a Method in the API's exact spelling; undefined for other texts. */
export function probeFor(method: string): AnyProbe | undefined {
  const known = methods.find((name) => name === method);
  return known === undefined ? undefined : registry[known];
}

/** The Method of a CheckSpec; undefined if this build lacks it. */
export function methodOf(spec: CheckSpec): Method | undefined {
  return methods.find((name) => registry[name].optionsCase === spec.options.case);
}

/** A check with parsed settings. */
export interface ReadyCheck {
  readonly probe: AnyProbe;
  readonly target: Target;
  /** Parsed by `probe.options`. */
  readonly options: unknown;
  readonly timeoutMs: number;
  /** The request lists what the device offers, instead of a check. */
  readonly isOffer?: boolean;
  /** See `ProbeContext.device`. */
  readonly device?: string;
  /** The values for a script's `secret("NAME")`. */
  readonly secrets?: ReadonlyMap<string, Secret>;
}

/** The parsed CheckSpec, or the reason why it cannot be run. */
export type SpecReading =
  | { readonly ok: true; readonly check: ReadyCheck }
  | { readonly ok: false; readonly message: string };

/**
 * Converts REST Options (as `probe.options` accepts them) to the wire's CheckSpec by protobuf's JSON mapping: the keys
 * of the Options are the json_names of the messages. Throws for a key that the message lacks; a test of the registry
 * proves that there is none.
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

const noLocalSecrets = () => undefined;

/**
 * Reads probe, target and Options from the wire's CheckSpec. Missing Options have the probe's defaults. `local` returns
 * the value of `${local:NAME}` from the agent's secrets file.
 */
export function readSpec(
  received: CheckSpec,
  local: (name: string) => string | undefined = noLocalSecrets,
): SpecReading {
  if (received.problem !== '') return { ok: false, message: received.problem };
  const filling = fillLocal(received, optionsJson(received), local);
  if (!filling.ok) return filling;
  const { spec } = filling;
  const arm = spec.options.case;
  const probe = Object.values(registry).find(({ optionsCase }) => optionsCase === arm);
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
      ...(spec.offer && { isOffer: true }),
      secrets: new Map(Object.entries(spec.secrets).map(([name, value]) => [name, new Secret(value)])),
    },
  };
}

/** The Options object of a CheckSpec in the REST API's spelling. */
function optionsJson(spec: CheckSpec): JsonValue {
  const arm = spec.options.case;
  if (arm === undefined) return {};
  const json = toJson(CheckSpecSchema, create(CheckSpecSchema, { options: spec.options }));
  return isRecord(json) ? (json[arm] ?? {}) : {};
}
