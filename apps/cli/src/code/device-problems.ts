import { isMask, type Json, mapQuerySecrets } from '@vantage/domain';
import { faultsOf, faultText, nearestName } from '@vantage/kernel';
import { type AnyProbe, probeFor, refusedTargetText, registry, secretPaths } from '@vantage/probes';
import type { DesiredResource } from './desired-resource.ts';
import type { FileProblem } from './managed-kinds.ts';

const secretReference = /\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}/;

/**
 * Validates Method, URL and Options of devices as the API does, before anything is sent. Also rejects secrets in clear,
 * because the API shows only masks, which cannot be compared. A mask is accepted where the device has the same mask.
 */
export function deviceProblems(desired: readonly DesiredResource[]): readonly FileProblem[] {
  return desired.filter(({ entry }) => entry.kind === 'device').flatMap(problemsOf);
}

function problemsOf(device: DesiredResource): readonly FileProblem[] {
  const { entry, settings } = device;
  const { Method, URL } = settings;
  if (typeof Method !== 'string' || typeof URL !== 'string') return [];
  const problem = (field: string, text: string) => ({ at: entry.at(field), text });
  const probe = probeFor(Method);
  if (probe === undefined) {
    const likely = nearestName(Method, Object.keys(registry));
    const hint =
      likely === undefined ? `accepted are ${Object.keys(registry).join(', ')}` : `did you mean ${likely}?`;
    return [problem('Method', `Method ${JSON.stringify(Method.slice(0, 40))} is not known; ${hint}`)];
  }
  const read = probe.parseTarget(URL);
  const parsed = probe.options.safeParse(settings['Options'] ?? {}, { reportInput: true });
  return [
    ...(read.ok ? [] : [problem('URL', `URL ${refusedTargetText(read.message)}`)]),
    ...(parsed.success
      ? []
      : faultsOf(parsed.error, probe.options, 'Options').map((fault) =>
          problem(fault.field, faultText(fault)),
        )),
    ...clearSecrets(device, probe, URL).map(({ field, text }) => problem(field, text)),
  ];
}

function clearSecrets(
  { settings, resource }: DesiredResource,
  probe: AnyProbe,
  url: string,
): readonly { readonly field: string; readonly text: string }[] {
  const found: { readonly field: string; readonly text: string }[] = [];
  const examine = (field: string, value: string, isSame: boolean) => {
    if (value === '' || secretReference.test(value) || (isMask(value) && isSame)) return;
    const problem = isMask(value) ? 'has the mask ***' : 'has a secret in clear';
    found.push({ field, text: `${field} ${problem}; store it (POST /secrets) and write \${secret:NAME}` });
  };
  if (probe.method !== 'Script') {
    const isSame = resource?.settings['URL'] === url;
    const read = probe.parseTarget(url);
    const password = read.ok ? read.target.password?.reveal() : undefined;
    if (password !== undefined) examine('URL', password, isSame);
    mapQuerySecrets(url, (value) => {
      examine('URL', value, isSame);
      return value;
    });
  }
  const options = settings['Options'] ?? {};
  for (const path of secretPaths(probe, options)) {
    const value = valueAt(options, path);
    const isSame = valueAt(resource?.settings['Options'] ?? {}, path) === value;
    if (typeof value === 'string') examine(`Options.${path}`, value, isSame);
  }
  return found;
}

function valueAt(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(part)] : (found as { readonly [key: string]: Json })[part];
  }
  return found;
}
