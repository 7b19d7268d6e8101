import type { Json } from '@vantage/domain';
import { spanSeconds } from '../values.ts';

/** The conditions of an endpoint, translated. */
export interface ReadConditions {
  readonly options: Readonly<Record<string, Json>>;
  /** Conditions without a counterpart, as they stand in the file. */
  readonly lost: readonly string[];
}

/** Conditions that hold for the kinds of endpoints that have a Method of their own. */
export type EndpointKind = 'http' | 'dns' | 'connection' | 'ping';

type Options = Record<string, Json>;

/** Reads the conditions `VALUE COMPARATOR VALUE` of an endpoint. */
export function readConditions(conditions: readonly string[], kind: EndpointKind): ReadConditions {
  const options: Options = {};
  const lost: string[] = [];
  for (const condition of conditions) {
    const [, left = '', comparator = '', right = ''] =
      /^(.*?) (==|!=|<=|>=|<|>) (.*)$/s.exec(condition) ?? [];
    if (!place({ left: left.trim(), comparator, right: right.trim() }, kind, options))
      lost.push(`the condition ${JSON.stringify(condition)}`);
  }
  return { options, lost };
}

interface Condition {
  readonly left: string;
  readonly comparator: string;
  readonly right: string;
}

/** Puts a condition into the Options; false: it has no place there. */
function place(condition: Condition, kind: EndpointKind, options: Options): boolean {
  const { left, comparator, right } = condition;
  if (left === '[CONNECTED]') return comparator === '==' && right === 'true';
  if (left === '[RESPONSE_TIME]') return placeTime(condition, kind, options);
  if (left === '[CERTIFICATE_EXPIRATION]') return placeExpiry(condition, kind, options);
  if (kind === 'dns') return placeDns(condition, options);
  if (kind !== 'http') return false;
  if (left === '[STATUS]') return placeStatus(condition, options);
  return left.startsWith('[BODY]') && placeBody(condition, options);
}

function placeStatus({ comparator, right }: Condition, options: Options): boolean {
  if ('ExpectStatus' in options) return false;
  const several = /^any\(([\d,\s]+)\)$/
    .exec(right)?.[1]
    ?.split(',')
    .map((each) => each.trim());
  const digit = /^pat\(([1-5])\*+\)$/.exec(right)?.[1];
  const code = /^[1-5]\d\d$/.test(right) ? Number(right) : undefined;
  if (comparator === '==' && several !== undefined) options['ExpectStatus'] = several;
  else if (comparator === '==' && digit !== undefined) options['ExpectStatus'] = [`${digit}00-${digit}99`];
  else if (code === undefined) return false;
  else if (comparator === '==') options['ExpectStatus'] = [right];
  else if (comparator === '<' && code > 100) options['ExpectStatus'] = [`100-${code - 1}`];
  else if (comparator === '<=') options['ExpectStatus'] = [`100-${code}`];
  else return false;
  return true;
}

/** Gatus compares milliseconds. */
function placeTime({ comparator, right }: Condition, kind: EndpointKind, options: Options): boolean {
  const ms = Number(right);
  if (!/^<=?$/.test(comparator) || !Number.isInteger(ms) || ms < 1) return false;
  const name = { http: 'MaxTimeMs', ping: 'MaxRTTMs', dns: undefined, connection: undefined }[kind];
  if (name === undefined) return false;
  options[name] = ms;
  return true;
}

function placeExpiry({ comparator, right }: Condition, kind: EndpointKind, options: Options): boolean {
  const seconds = spanSeconds(right);
  if (!/^>=?$/.test(comparator) || seconds === undefined || kind === 'ping' || kind === 'dns') return false;
  options['TLS'] = { MinDaysLeft: Math.ceil(seconds / 86_400) };
  return true;
}

function placeBody({ left, comparator, right }: Condition, options: Options): boolean {
  const path = left.slice('[BODY]'.length);
  const pattern = /^pat\((.*)\)$/s.exec(right)?.[1];
  if (path !== '') {
    if (
      comparator !== '==' ||
      pattern !== undefined ||
      /^(any|has|len)\(/.test(right) ||
      'ExpectJSONPath' in options
    )
      return false;
    options['ExpectJSONPath'] = `$${path}`;
    options['ExpectJSONValue'] = right;
    return true;
  }
  const inside = pattern === undefined ? undefined : /^\*([^*]+)\*$/s.exec(pattern)?.[1];
  if (inside !== undefined) {
    const name = comparator === '==' ? 'ExpectText' : 'RejectText';
    if (!/^[=!]=$/.test(comparator) || name in options) return false;
    options[name] = inside;
    return true;
  }
  if (comparator !== '==' || 'ExpectRegex' in options || /^(any|has|len)\(/.test(right)) return false;
  options['ExpectRegex'] = `^${patternOf(pattern ?? right)}$`;
  return true;
}

function placeDns({ left, comparator, right }: Condition, options: Options): boolean {
  if (comparator !== '==') return false;
  if (left === '[DNS_RCODE]') {
    options['ExpectRcode'] = right;
    return true;
  }
  if (left !== '[BODY]' || /^(pat|any|len|has)\(/.test(right)) return false;
  options['Expect'] = [right];
  return true;
}

/** A pattern with `*` (any text) as a regular expression for the whole text. */
function patternOf(glob: string): string {
  return glob.split('*').map(literally).join('[\\s\\S]*');
}

/** A text as a regular expression that matches it alone. */
function literally(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\/-]/g, (sign) =>
    sign === '/' || sign === '-' ? sign : `\\${sign}`,
  );
}
