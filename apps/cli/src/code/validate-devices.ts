import { isMask, type Json, mapQuerySecrets } from '@vantage/domain';
import { faultsOf, nearestName } from '@vantage/kernel';
import { probeFor, registry, secretPaths } from '@vantage/probes';
import type { Entry, Problem } from './kinds.ts';
import type { Wanted } from './wanted.ts';

const reference = /\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}/;

/**
 * Judges devices as the API does, before anything is sent: the Method, the URL, the Options, and that no secret stands
 * in clear, because what the API shows of it could not be compared. A mask is accepted where the device has the same.
 */
export function validateDevices(wanted: readonly Wanted[]): readonly Problem[] {
  return wanted.flatMap((each) => (each.entry.kind === 'device' ? judge(each) : []));
}

function judge({ entry, settings, thing }: Wanted): readonly Problem[] {
  const { Method, URL } = settings;
  if (typeof Method !== 'string' || typeof URL !== 'string') return [];
  const probe = probeFor(Method);
  if (probe === undefined) {
    const likely = nearestName(Method, Object.keys(registry));
    const hint =
      likely === undefined ? `accepted are ${Object.keys(registry).join(', ')}` : `did you mean ${likely}?`;
    return [problem(entry, 'Method', `Method ${JSON.stringify(Method.slice(0, 40))} is not known; ${hint}`)];
  }
  const problems: Problem[] = [];
  const read = probe.parseTarget(URL);
  if (!read.ok) problems.push(problem(entry, 'URL', `URL ${read.message}`));
  const options = settings['Options'] ?? {};
  const judged = probe.options.safeParse(options, { reportInput: true });
  if (!judged.success)
    for (const { field, message } of faultsOf(judged.error, probe.options, 'Options'))
      problems.push(problem(entry, field, `${field} ${message}`));
  const shown = thing?.settings;
  const clear = (field: string, value: string, same: boolean) => {
    if (value === '' || reference.test(value) || (isMask(value) && same)) return;
    const what = isMask(value) ? 'holds the mask ***' : 'holds a secret in clear';
    problems.push(
      problem(entry, field, `${field} ${what}; store it (POST /secrets) and write \${secret:NAME}`),
    );
  };
  if (Method !== 'Script') {
    const password = read.ok ? read.target.password?.reveal() : undefined;
    if (password !== undefined) clear('URL', password, shown?.['URL'] === URL);
    mapQuerySecrets(URL, (value) => {
      clear('URL', value, shown?.['URL'] === URL);
      return value;
    });
  }
  for (const path of secretPaths(probe, options)) {
    const value = at(options, path);
    const same = at(shown?.['Options'] ?? {}, path) === value;
    if (typeof value === 'string') clear(`Options.${path}`, value, same);
  }
  return problems;
}

function problem(entry: Entry, field: string, text: string): Problem {
  return { at: entry.at(field), text };
}

function at(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(part)] : (found as { readonly [key: string]: Json })[part];
  }
  return found;
}
