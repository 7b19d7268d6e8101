import { isSecretReference, type Json, mapQuerySecrets, secretReference } from '@vantage/domain';
import { type AnyProbe, secretPaths } from '@vantage/probes';
import type { FoundOptions } from '../found-check.ts';

/** A secret that must be set before the file is applied. */
export interface NeededSecret {
  readonly name: string;
  /** The field of the other tool that has its value: `Password of "Mail"`. */
  readonly use: string;
}

/** The device that a secret belongs to. */
interface SecretOwner {
  readonly key: string;
  readonly name: string;
}

/** Replaces secrets by references. Equal values share one reference. */
export interface SecretKeeper {
  readonly needed: readonly NeededSecret[];
  /** The reference for a value; `field` is the field that has it: `Headers.Authorization`. */
  readonly refer: (value: string, owner: SecretOwner, field: string) => string;
}

/** A value that an earlier step of an HTTP check extracts. */
const containsExtracted = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;
const containsReference = /\$\{(?:secret|local):[A-Za-z0-9_.-]{1,100}\}/;
/** Headers with credentials under names that the probes do not know. */
const secretHeader = /auth|cookie|key|password|secret|token/i;

export function createSecretKeeper(): SecretKeeper {
  const needed: NeededSecret[] = [];
  const byValue = new Map<string, string>();
  const names = new Set<string>();
  return {
    needed,
    refer(value, { key, name }, field) {
      if (value === '' || value === '***' || containsReference.test(value)) return value;
      if (field.startsWith('Steps.') && containsExtracted.test(value)) return value;
      const known = byValue.get(value);
      if (known !== undefined) return secretReference('secret', known);
      const base = `${key}.${field}`.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').slice(-90);
      let chosen = base;
      for (let count = 2; names.has(chosen.toLowerCase()); count += 1) chosen = `${base}-${count}`;
      names.add(chosen.toLowerCase());
      byValue.set(value, chosen);
      needed.push({ name: chosen, use: `${field} of ${JSON.stringify(name)}` });
      return secretReference('secret', chosen);
    },
  };
}

/** The URL with references for its password and for credentials in its query. */
export function hideInUrl(probe: AnyProbe, url: string, owner: SecretOwner, keeper: SecretKeeper): string {
  if (probe.method === 'Script') return url;
  const read = probe.parseTarget(url);
  const password = read.ok ? read.target.password?.reveal() : undefined;
  const hidden =
    password === undefined || isSecretReference(password)
      ? url
      : url.replace(/^([^/]*\/\/)?([^@/?#]*):([^/?#]*)@/, (_, head: string | undefined, user: string) => {
          const reference = keeper.refer(password, owner, 'URL.password');
          return `${head ?? ''}${user}:${reference}@`;
        });
  return mapQuerySecrets(hidden, (value, name) =>
    keeper.refer(value, owner, `URL.${name.replace(/\/\d+$/, '')}`),
  );
}

/** The Options with references for the fields that the Method's probe, or a header's name, declares secret. */
export function hideInOptions(
  probe: AnyProbe,
  options: FoundOptions,
  owner: SecretOwner,
  keeper: SecretKeeper,
): Record<string, Json> {
  const paths = new Set(secretPaths(probe, options));
  const walk = (value: Json, path: string): Json => {
    if (typeof value === 'string')
      return paths.has(path) || isSecretHeader(path) ? keeper.refer(value, owner, path) : value;
    if (Array.isArray(value)) return value.map((item: Json) => walk(item, path));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, walk(field, `${path}.${key}`)]),
    );
  };
  return Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, walk(value, key)]])),
  );
}

function isSecretHeader(path: string): boolean {
  const name = /^(?:Steps\.)?Headers\.(.*)$/s.exec(path)?.[1];
  return name !== undefined && secretHeader.test(name);
}
