import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { calledSecretNames, fillReferences, referencedNames, secretReference } from '@vantage/domain';
import { type CheckSpec, CheckSpecSchema } from '@vantage/proto';

/** The check with the values of the agent's secrets, or the reason why it cannot be run. */
export type LocalFilling =
  | { readonly ok: true; readonly spec: CheckSpec }
  | { readonly ok: false; readonly message: string };

/**
 * Fills `${local:NAME}` in a check's Options and in the user and password of its URL (percent-encoded there), and adds
 * the values for a script's `secret("local:NAME")`. Every used value becomes a secret of the check, so it is masked.
 * `options` are the check's Options as JSON; `lookup` returns the agent's secrets. Pure.
 */
export function fillLocal(
  spec: CheckSpec,
  options: JsonValue,
  lookup: (name: string) => string | undefined,
): LocalFilling {
  const arm = spec.options.case;
  const used: Record<string, string> = {};
  const missing: string[] = [];
  const reveal = (name: string, where: string): string => {
    const value = lookup(name);
    if (value === undefined) missing.push(`${secretReference('local', name)} in ${where}`);
    else used[`local:${name}`] = value;
    return value ?? '';
  };
  const isScript = arm === 'script';
  if (isScript) for (const name of calledSecretNames('local', spec.url)) reveal(name, 'the script');
  const url = isScript ? spec.url : fillLogin(spec.url, (name) => encodeURIComponent(reveal(name, 'URL')));
  const filled = fillStrings(options, '', reveal);
  const [stray] = isScript ? [] : referencedNames('local', url);
  if (stray !== undefined)
    return {
      ok: false,
      message: `${secretReference('local', stray)} in URL may stand for its user or password only`,
    };
  if (missing.length > 0) {
    const which = [...new Set(missing)].join(', ');
    return {
      ok: false,
      message: `this agent does not know ${which}: put it into the file that VANTAGE_AGENT_SECRETS_FILE names on the agent's machine`,
    };
  }
  if (arm === undefined || Object.keys(used).length === 0) return { ok: true, spec };
  const filledSpec = fromJson(CheckSpecSchema, { [arm]: filled });
  filledSpec.url = url;
  filledSpec.timeoutMs = spec.timeoutMs;
  filledSpec.secrets = { ...spec.secrets, ...used };
  return { ok: true, spec: filledSpec };
}

/** Fills only the part before the host, because a secret must never be part of a name in a DNS query. */
function fillLogin(url: string, reveal: (name: string) => string): string {
  const start = url.includes('://') ? url.indexOf('://') + 3 : 0;
  const length = url.slice(start).search(/[/?#]/);
  const authority = length < 0 ? url.slice(start) : url.slice(start, start + length);
  const end = start + Math.max(0, authority.lastIndexOf('@'));
  const login = fillReferences('local', url.slice(start, end), reveal);
  return url.slice(0, start) + login + url.slice(end);
}

function fillStrings(
  value: JsonValue,
  path: string,
  reveal: (name: string, where: string) => string,
): JsonValue {
  if (typeof value === 'string') return fillReferences('local', value, (name) => reveal(name, path));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => fillStrings(inner, path, reveal));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      fillStrings(inner, path === '' ? key : `${path}.${key}`, reveal),
    ]),
  );
}
