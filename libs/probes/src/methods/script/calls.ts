import { tlsSettingKeys } from '../../contract/options.ts';
import type { CallOptions, CheckFunctions, ScriptFunction, StepRequest } from '../../contract/probe.ts';

const longestTimeoutMs = 120_000;
/** Names that belong to a call itself; all others are Options of the method. */
const ownNames = ['url', 'host', 'port', 'timeout', 'message'];
const tlsNames = new Set(tlsSettingKeys.map((key) => key.toLowerCase()));

/**
 * The check of a script's call: `tcp({ host: 'db', port: 5432, slowMs: 50 })` as the method's URL and Options, or the
 * text of its fault. Names are those of the REST Options with a small first letter; letter case does not count.
 */
export function readCall(functions: CheckFunctions, name: string, given: CallOptions): StepRequest | string {
  const known = functions.get(name);
  if (known === undefined) return `${name}() is not known to this agent`;
  const { timeout, message } = given;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longestTimeoutMs)) {
    return `${name}(): timeout is milliseconds up to ${longestTimeoutMs}`;
  }
  const takesMessage = known.parameters?.['message'] !== undefined;
  if (message !== undefined && (!takesMessage || typeof message !== 'string')) {
    return `${name}(): message is the text of a mail, for smtp() only`;
  }
  if (message !== undefined && given['rcptTo'] === undefined) return `${name}(): message needs a rcptTo`;
  const misplaced = addressProblem(known.target, given);
  if (misplaced !== undefined) return `${name}(): ${misplaced}`;
  const url = urlOf(known.target, given);
  if (url === undefined) return `${name}(): ${targetMember(known)} is missing`;
  return {
    method: known.method,
    url,
    options: optionsOf(known, given),
    ...(typeof timeout === 'number' && { timeoutMs: timeout }),
    ...(typeof message === 'string' && { message }),
  };
}

/** The member that a call must have unless it has a `url`. */
export function targetMember({ target }: Pick<ScriptFunction, 'target'>): 'host' | 'url' | 'name' {
  return target === 'host and port' ? 'host' : target;
}

type Target = ScriptFunction['target'];

/** The fault of the target of a call. No member of it is ignored. */
function addressProblem(target: Target, { url, host, port, name }: CallOptions): string | undefined {
  const ofName = target === 'name' ? name : undefined;
  const hasPlace = host !== undefined || port !== undefined;
  if ((target === 'url' || target === 'name') && hasPlace) return `it takes ${target}, not host and port`;
  if (url !== undefined && typeof url !== 'string') return 'url must be a text';
  if (host !== undefined && typeof host !== 'string') return 'host must be a text';
  if (ofName !== undefined && typeof ofName !== 'string') return 'name must be a text';
  if (url !== undefined && (hasPlace || ofName !== undefined))
    return `it takes url or ${target === 'name' ? 'name' : 'host and port'}, not both`;
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;
  return port === undefined || isPort ? undefined : 'port must be a number from 1 to 65535';
}

function urlOf(target: Target, { url, host, port, name }: CallOptions): string | undefined {
  if (typeof url === 'string') return url;
  if (target === 'name') return typeof name === 'string' ? name : undefined;
  if (typeof host !== 'string' || target === 'url') return undefined;
  const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return typeof port === 'number' ? `${shown}:${port}` : shown;
}

/** The Options among the parameters of a call. */
function optionsOf(known: ScriptFunction, given: CallOptions): CallOptions {
  const isOwn = (key: string) => ownNames.includes(key) || (known.target === 'name' && key === 'name');
  const options = Object.fromEntries(Object.entries(given).filter(([key]) => !isOwn(key)));
  const prepared = known.prepare?.(options) ?? options;
  return known.implicitTls === true ? underTls(prepared) : prepared;
}

/** Moves the settings of TLS from the other parameters into the Option `TLS`. */
function underTls(options: CallOptions): CallOptions {
  const isSetting = ([key]: readonly [string, unknown]) => tlsNames.has(key.toLowerCase());
  const all = Object.entries(options);
  return {
    ...Object.fromEntries(all.filter((each) => !isSetting(each))),
    tls: { Mode: 'Implicit', ...Object.fromEntries(all.filter(isSetting)) },
  };
}
