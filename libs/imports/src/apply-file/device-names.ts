import { cleanLine } from '@vantage/domain';
import type { FoundCheck, ImportNote } from '../found-check.ts';
import { numbered, shorten } from './short-name.ts';
import { createUniqueNames } from './unique-names.ts';

const maxFullNameLength = 1000;

/** Gives each device of a file its own ShortName and FullName, and notes the names that it had to change. */
export interface DeviceNames {
  readonly shortNameOf: (check: FoundCheck) => string;
  readonly fullNameOf: (check: FoundCheck) => string | undefined;
}

export function createDeviceNames(renamed: ImportNote[]): DeviceNames {
  const shortNames = createUniqueNames();
  const fullNames = createUniqueNames();
  return {
    shortNameOf(check) {
      const base = shorten(check.shortName ?? labelOf(check.name)) || shorten(labelOf(check.url)) || 'device';
      const { name } = shortNames(base, (count) => numbered(base, count));
      if (check.shortName !== undefined && name !== check.shortName)
        renamed.push({
          at: check.at,
          name: check.name,
          text: `ShortName ${JSON.stringify(check.shortName)} became ${name}`,
        });
      return name;
    },
    fullNameOf(check) {
      const preferred = lineOf(check.name);
      if (preferred === '') return undefined;
      const { name, changed } = fullNames(preferred, (count) =>
        count === 2 && check.method !== 'Script'
          ? lineOf(`${preferred} (${hostIn(check.url)})`)
          : `${preferred.slice(0, 990)} (${count})`,
      );
      if (changed)
        renamed.push({
          at: check.at,
          name: check.name,
          text: `another device already has this name: FullName became ${JSON.stringify(name)}`,
        });
      return name;
    },
  };
}

/** One line for people, as FullName accepts it. */
export function lineOf(text: string): string {
  return cleanLine(text).normalize('NFC').trim().slice(0, maxFullNameLength).toWellFormed();
}

/** The first label of a name that is an address: `shop` of `https://shop.example.org/`. Other names stay. */
function labelOf(name: string): string {
  if (!/^(?:[a-z][a-z0-9+.-]*:\/\/\S+|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+(?::\d+)?)$/i.test(name)) return name;
  const host = hostIn(name);
  return /^[^.]*[a-z][^.]*\./i.test(host) ? (host.split('.')[0] ?? host) : host;
}

function hostIn(url: string): string {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#]*@)?([^/?#]+)/i.exec(url)?.[1] ?? url;
  return host.replace(/^www\./i, '');
}
