import type { Json } from '@vantage/domain';
import { spanSeconds } from '../values/span-seconds.ts';

/** The conditions of an endpoint as Options. */
export interface TranslatedConditions {
  readonly options: Readonly<Record<string, Json>>;
  /** Conditions without a counterpart, as the file has them. */
  readonly lost: readonly string[];
}

/** The kinds of endpoints with different Options. */
export type EndpointKind = 'http' | 'dns' | 'connection' | 'ping' | 'message';

type MutableOptions = Record<string, Json>;

/** Translates the conditions `VALUE COMPARATOR VALUE` of an endpoint. */
export function translateConditions(conditions: readonly string[], kind: EndpointKind): TranslatedConditions {
  const options: MutableOptions = {};
  const lost: string[] = [];
  for (const condition of conditions) {
    const [, left = '', comparator = '', right = ''] =
      /^(.*?) (==|!=|<=|>=|<|>) (.*)$/s.exec(condition) ?? [];
    if (!addCondition({ left: left.trim(), comparator, right: right.trim() }, kind, options))
      lost.push(`the condition ${JSON.stringify(condition)}`);
  }
  return { options, lost };
}

interface GatusCondition {
  readonly left: string;
  readonly comparator: string;
  readonly right: string;
}

/** Adds a condition to the Options. Returns false where no Option expresses it. */
function addCondition(condition: GatusCondition, kind: EndpointKind, options: MutableOptions): boolean {
  const { left, comparator, right } = condition;
  if (left === '[CONNECTED]') return comparator === '==' && right === 'true';
  if (left === '[RESPONSE_TIME]') return addResponseTime(condition, kind, options);
  if (left === '[CERTIFICATE_EXPIRATION]') return addExpiry(condition, kind, options);
  if (kind === 'dns') return addDns(condition, options);
  if (kind === 'message') return left === '[BODY]' && addMessage(condition, options);
  if (kind !== 'http') return false;
  if (left === '[STATUS]') return addStatus(condition, options);
  return left.startsWith('[BODY]') && addBody(condition, options);
}

function addStatus({ comparator, right }: GatusCondition, options: MutableOptions): boolean {
  if ('ExpectStatus' in options) return false;
  const codes = /^any\(([\d,\s]+)\)$/
    .exec(right)?.[1]
    ?.split(',')
    .map((code) => code.trim());
  const digit = /^pat\(([1-5])\*+\)$/.exec(right)?.[1];
  const code = /^[1-5]\d\d$/.test(right) ? Number(right) : undefined;
  if (comparator === '==' && codes !== undefined) options['ExpectStatus'] = codes;
  else if (comparator === '==' && digit !== undefined) options['ExpectStatus'] = [`${digit}00-${digit}99`];
  else if (code === undefined) return false;
  else if (comparator === '==') options['ExpectStatus'] = [right];
  else if (comparator === '<' && code > 100) options['ExpectStatus'] = [`100-${code - 1}`];
  else if (comparator === '<=') options['ExpectStatus'] = [`100-${code}`];
  else return false;
  return true;
}

/** A message that is a text, or has one in the middle. */
function addMessage({ comparator, right }: GatusCondition, options: MutableOptions): boolean {
  if (comparator !== '==' || 'ExpectText' in options || 'ExpectRegex' in options) return false;
  const part = /^pat\(\*([^*]+)\*\)$/.exec(right)?.[1];
  if (part !== undefined) options['ExpectText'] = part;
  else if (/^(pat|any|len|has|age)\(/.test(right)) return false;
  else options['ExpectRegex'] = `^${right.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  return true;
}

/** Gatus compares milliseconds. */
function addResponseTime(
  { comparator, right }: GatusCondition,
  kind: EndpointKind,
  options: MutableOptions,
): boolean {
  const ms = Number(right);
  if (!/^<=?$/.test(comparator) || !Number.isInteger(ms) || ms < 1) return false;
  const name = {
    http: 'MaxTimeMs',
    ping: 'MaxRTTMs',
    dns: undefined,
    connection: undefined,
    message: undefined,
  }[kind];
  if (name === undefined) return false;
  options[name] = ms;
  return true;
}

function addExpiry(
  { comparator, right }: GatusCondition,
  kind: EndpointKind,
  options: MutableOptions,
): boolean {
  const seconds = spanSeconds(right);
  if (!/^>=?$/.test(comparator) || seconds === undefined || kind === 'ping' || kind === 'dns') return false;
  options['TLS'] = { MinDaysLeft: Math.ceil(seconds / 86_400) };
  return true;
}

function addBody({ left, comparator, right }: GatusCondition, options: MutableOptions): boolean {
  const path = left.slice('[BODY]'.length);
  const pattern = /^pat\((.*)\)$/s.exec(right)?.[1];
  const isFunction = /^(any|has|len)\(/.test(right);
  if (path !== '') {
    if (comparator !== '==' || pattern !== undefined || isFunction || 'ExpectJSONPath' in options)
      return false;
    options['ExpectJSONPath'] = `$${path}`;
    options['ExpectJSONValue'] = right;
    return true;
  }
  const containedText = pattern === undefined ? undefined : /^\*([^*]+)\*$/s.exec(pattern)?.[1];
  if (containedText !== undefined) {
    const name = comparator === '==' ? 'ExpectText' : 'RejectText';
    if (!/^[=!]=$/.test(comparator) || name in options) return false;
    options[name] = containedText;
    return true;
  }
  if (comparator !== '==' || 'ExpectRegex' in options || isFunction) return false;
  options['ExpectRegex'] = `^${regexOfGlob(pattern ?? right)}$`;
  return true;
}

function addDns({ left, comparator, right }: GatusCondition, options: MutableOptions): boolean {
  if (comparator !== '==') return false;
  if (left === '[DNS_RCODE]') {
    options['ExpectRcode'] = right;
    return true;
  }
  if (left !== '[BODY]' || /^(pat|any|len|has)\(/.test(right)) return false;
  options['Expect'] = [right];
  return true;
}

/** A pattern in which `*` means any text, as a regular expression for the whole text. */
function regexOfGlob(glob: string): string {
  return glob.split('*').map(escapeRegex).join('[\\s\\S]*');
}

/** The probes' regular expressions need no escape for `/` and `-`. */
function escapeRegex(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, (sign) => `\\${sign}`);
}
