import type { Route } from '@vantage/rest-kit/route';
import { spoken } from './operation-text.ts';

const verbs = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/**
 * The name of a route in generated clients, as people say it: `createDevice`, `listDevices`, `getDevice`,
 * `listDeviceChecks`, `startTagMaintenance`. A plural at the end of a GET is a list; `verb-noun` at the end is that
 * verb.
 */
export function operationId({ method, path }: Route): string {
  const known = spoken[`${method} ${path}`];
  if (known !== undefined) return known;
  const parts = path.split('/').filter((part) => part !== '');
  const owners = parts.filter((_, at) => parts[at + 1]?.startsWith('{') === true).map(singular);
  const last = parts.at(-1) ?? '';
  if (last.startsWith('{')) return verbs[method] + owners.join('');
  if (method === 'GET') return (last.endsWith('s') ? 'list' : 'get') + owners.join('') + capital(last);
  if (owners.length === 0) return verbs[method] + singular(last);
  const [verb = last, ...rest] = last.split('-');
  return verb + owners.join('') + rest.map(capital).join('');
}

function singular(word: string): string {
  return capital(word.replace(/s$/, ''));
}

/** `suggested-master` as `SuggestedMaster`. */
function capital(words: string): string {
  return words
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
