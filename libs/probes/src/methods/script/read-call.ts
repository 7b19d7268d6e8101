import { tlsSettingKeys } from '../../contract/options.ts';
import type { CallOptions, CheckFunctions, ScriptFunction, StepRequest } from '../../contract/probe.ts';

const maxTimeoutMs = 120_000;
/** The parameters of a call that are no Options of the Method. */
const callNames = ['url', 'host', 'port', 'timeout', 'message'];
const tlsNames = new Set(tlsSettingKeys.map((key) => key.toLowerCase()));

/**
 * The check of a script's call, with the URL and Options of the Method: `tcp({ host: 'db', port: 5432, slowMs: 50 })`;
 * or the text of its fault. The names are those of the Options in REST, in any letter case.
 */
export function readCall(functions: CheckFunctions, name: string, call: CallOptions): StepRequest | string {
  const known = functions.get(name);
  if (known === undefined) return `${name}() is not known to this agent`;
  const { timeout, message } = call;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= maxTimeoutMs)) {
    return `${name}(): timeout is milliseconds up to ${maxTimeoutMs}`;
  }
  const takesMessage = known.parameters?.['message'] !== undefined;
  if (message !== undefined && (!takesMessage || typeof message !== 'string')) {
    return `${name}(): message is the text of a mail, for smtp() only`;
  }
  if (message !== undefined && call['rcptTo'] === undefined) return `${name}(): message needs a rcptTo`;
  const misplaced = addressProblem(known.target, call);
  if (misplaced !== undefined) return `${name}(): ${misplaced}`;
  const url = urlOf(known.target, call);
  if (url === undefined) return `${name}(): ${targetMember(known)} is missing`;
  return {
    method: known.method,
    url,
    options: optionsOf(known, call),
    ...(typeof timeout === 'number' && { timeoutMs: timeout }),
    ...(typeof message === 'string' && { message }),
  };
}

/** The parameter that a call must have unless it has a `url`. */
export function targetMember({ target }: Pick<ScriptFunction, 'target'>): 'host' | 'url' | 'name' {
  return target === 'host and port' ? 'host' : target;
}

type CallTarget = ScriptFunction['target'];

/** The fault in the target of a call. No parameter is ignored. */
function addressProblem(target: CallTarget, { url, host, port, name }: CallOptions): string | undefined {
  const targetName = target === 'name' ? name : undefined;
  const hasEndpoint = host !== undefined || port !== undefined;
  if ((target === 'url' || target === 'name') && hasEndpoint) return `it takes ${target}, not host and port`;
  if (url !== undefined && typeof url !== 'string') return 'url must be a text';
  if (host !== undefined && typeof host !== 'string') return 'host must be a text';
  if (targetName !== undefined && typeof targetName !== 'string') return 'name must be a text';
  if (url !== undefined && (hasEndpoint || targetName !== undefined))
    return `it takes url or ${target === 'name' ? 'name' : 'host and port'}, not both`;
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;
  return port === undefined || isPort ? undefined : 'port must be a number from 1 to 65535';
}

function urlOf(target: CallTarget, { url, host, port, name }: CallOptions): string | undefined {
  if (typeof url === 'string') return url;
  if (target === 'name') return typeof name === 'string' ? name : undefined;
  if (typeof host !== 'string' || target === 'url') return undefined;
  const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return typeof port === 'number' ? `${shown}:${port}` : shown;
}

/** The Options among the parameters of a call. */
function optionsOf(known: ScriptFunction, call: CallOptions): CallOptions {
  const isCallName = (key: string) => callNames.includes(key) || (known.target === 'name' && key === 'name');
  const options = Object.fromEntries(Object.entries(call).filter(([key]) => !isCallName(key)));
  const prepared = known.prepare?.(options) ?? options;
  return known.implicitTls === true ? withTls(prepared) : prepared;
}

/** Moves the TLS settings into the Option `TLS`. */
function withTls(options: CallOptions): CallOptions {
  const isSetting = ([key]: readonly [string, unknown]) => tlsNames.has(key.toLowerCase());
  const all = Object.entries(options);
  return {
    ...Object.fromEntries(all.filter((entry) => !isSetting(entry))),
    tls: { Mode: 'Implicit', ...Object.fromEntries(all.filter(isSetting)) },
  };
}
