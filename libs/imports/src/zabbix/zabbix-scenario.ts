import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { listOf, orAbsent, recordOf, textOf, type UnknownRecord } from '../values/unknown-values.ts';

/** The most steps that HTTP has. */
const maxSteps = 10;

/** Maps a web scenario: one step is a plain HTTP check, several are its Steps. `expand` replaces the host's macros. */
export function scenarioTarget(scenario: UnknownRecord, expand: (text: string) => string): TargetOrReason {
  const steps = listOf(scenario['steps']).map((step) => recordOf(step) ?? {});
  const [first] = steps;
  if (first === undefined) return 'is a web scenario without steps';
  if (steps.length > maxSteps)
    return `is a web scenario of ${steps.length} steps; HTTP has at most ${maxSteps}`;
  const shared: FoundOptions = {
    ...loginOf(scenario),
    // Zabbix verifies certificates only when the scenario says so.
    TLS: textOf(scenario['verify_peer']) === 'YES' ? undefined : { Verify: false },
  };
  const variables = [scenario, ...steps].flatMap(variablesOf);
  if (steps.length === 1 && variables.length === 0)
    return {
      method: 'HTTP',
      url: expand(textOf(first['url']) ?? ''),
      options: { ...shared, ...single(first, expand) },
    };
  return withSteps(scenario, steps, { shared, expand });
}

/** The login: Zabbix writes BASIC where it is the default of older versions. */
function loginOf(scenario: UnknownRecord): FoundOptions {
  const kind = textOf(scenario['authentication']);
  return {
    Auth: kind === 'DIGEST' || kind === '4' ? 'Digest' : undefined,
    User: textOf(scenario['http_user']),
    Password: textOf(scenario['http_password']),
  };
}

function single(step: UnknownRecord, expand: (text: string) => string): FoundOptions {
  const pattern = textOf(step['required']);
  return {
    ExpectStatus: statusesOf(step),
    ExpectRegex: pattern === undefined ? undefined : expand(pattern),
    Body: bodyOf(step, expand),
    Method: step['posts'] === undefined ? undefined : 'POST',
    MaxRedirects: textOf(step['follow_redirects']) === 'NO' ? 0 : undefined,
  };
}

const statusesOf = (step: UnknownRecord) =>
  textOf(step['status_codes'])
    ?.split(',')
    .map((status) => status.trim());

/** The posts: a text, or a list of fields of a form. */
function bodyOf(step: UnknownRecord, expand: (text: string) => string): string | undefined {
  const { posts } = step;
  if (!Array.isArray(posts)) {
    const text = textOf(posts);
    return text === undefined ? undefined : expand(text);
  }
  const pairs = pairsOf(posts).map(
    ([name, value]) => `${encodeURIComponent(name)}=${keepingReferences(expand(value), encodeURIComponent)}`,
  );
  return pairs.join('&');
}

const pairsOf = (list: unknown): (readonly [name: string, value: string])[] =>
  listOf(list).flatMap((item) => {
    const { name, value } = recordOf(item) ?? {};
    const key = textOf(name);
    return key === undefined ? [] : [[key, textOf(value) ?? ''] as const];
  });

interface Variable {
  readonly name: string;
  readonly value: string;
}

function variablesOf(source: UnknownRecord): readonly Variable[] {
  return pairsOf(source['variables']).map(([name, value]) => ({
    name: name.replace(/^\{(.*)\}$/, '$1'),
    value,
  }));
}

const extractors: readonly (readonly [prefix: string, field: 'Regex' | 'JSONPath'])[] = [
  ['regex:', 'Regex'],
  ['jsonpath:', 'JSONPath'],
];

/** The value that a variable takes from an answer; undefined: it is a fixed text. */
function extractOf({ name, value }: Variable): Json | undefined {
  const found = extractors.find(([prefix]) => value.startsWith(prefix));
  return found === undefined
    ? undefined
    : { Name: nameOf(name), [found[1]]: value.slice(found[0].length).trim() };
}

/** The name of a value in Steps. */
function nameOf(variable: string): string {
  const name = variable.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return /^[A-Za-z_]/.test(name) ? name : `v_${name}`;
}

function withSteps(
  scenario: UnknownRecord,
  steps: readonly UnknownRecord[],
  { shared, expand }: { readonly shared: FoundOptions; readonly expand: (text: string) => string },
): TargetOrReason {
  const fixed = new Map<string, string>();
  const taken = new Set<string>();
  const lost = new Set<string>();
  const note = (variable: Variable): readonly Json[] => {
    const extract = extractOf(variable);
    if (extract !== undefined) taken.add(variable.name);
    else if (variable.value.startsWith('xmlxpath:')) lost.add(`the variable ${variable.name}, an XPath`);
    else fixed.set(variable.name, expand(variable.value));
    return extract === undefined ? [] : [extract];
  };
  // A variable of the scenario is set before the first step, so it can only be a fixed text.
  for (const variable of variablesOf(scenario)) note(variable);
  taken.clear();
  const fill = (text: string) =>
    expand(text).replaceAll(/\{([^{}$]+)\}/g, (whole, name: string) =>
      taken.has(name) ? `\${${nameOf(name)}}` : (fixed.get(name) ?? whole),
    );
  const names = new Set<string>();
  const made = steps.map((step, at): { readonly [key: string]: Json } => {
    const { Body, ExpectStatus, ExpectRegex, Method } = single(step, fill);
    const headers = Object.fromEntries(
      [...pairsOf(scenario['headers']), ...pairsOf(step['headers'])].map(([key, value]) => [
        key,
        fill(value),
      ]),
    );
    if (textOf(step['follow_redirects']) === 'NO') lost.add('steps that follow no redirects');
    if (listOf(step['query_fields']).length > 0) lost.add('the query fields of steps');
    const isForm = Array.isArray(step['posts']);
    const allHeaders = { ...(isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }), ...headers };
    const url = fill(textOf(step['url']) ?? '');
    const entry = {
      Name: uniqueName(textOf(step['name']) ?? `Step ${at + 1}`, names),
      URL: at === 0 ? undefined : url,
      Method,
      Headers: orAbsent(allHeaders),
      Body,
      ExpectStatus,
      ExpectRegex,
      Extract: variablesOf(step).flatMap(note),
    };
    return withoutAbsent(entry);
  });
  return {
    method: 'HTTP',
    url: fill(textOf(steps[0]?.['url']) ?? ''),
    options: { ...shared, Steps: made },
    lost: [...lost],
  };
}

function withoutAbsent(record: Readonly<Record<string, Json | undefined>>): { readonly [key: string]: Json } {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(record)) {
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) kept[key] = value;
  }
  return kept;
}

function uniqueName(text: string, names: Set<string>): string {
  let name = text.slice(0, 100);
  for (let count = 2; names.has(name); count += 1) name = `${text.slice(0, 95)} ${count}`;
  names.add(name);
  return name;
}

/** Changes a text, except for its `${name}`. */
function keepingReferences(text: string, change: (part: string) => string): string {
  return text
    .split(/(\$\{[A-Za-z_][A-Za-z0-9_]*\})/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');
}
