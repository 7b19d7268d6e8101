import { hostNames, maxTexts, type Registration, shortText } from './domain-record.ts';

// WHOIS (RFC 3912) has no format. Most registries write `key: value`, some put the value on the next line.

const maxLines = 2000;

const keys = {
  expires:
    /^(registry expiry date|registrar registration expiration date|expir(y|ation|es)( date| time| on)?|expire(s|d)?|paid[- ]till|renewal date|valid(ity| until)|domain expires|record expires on|expire date|expiration)$/,
  registered:
    /^(creation date|created( on| date)?|registered( on| date)?|registration (date|time)|domain registered|domain record activated)$/,
  changed: /^(updated date|changed|last[- ](updated?|modified)( on| date)?|modified|last update)$/,
  registrar: /^(registrar|registrar name|sponsoring registrar|registrar organization)$/,
  nameServer: /^(name ?servers?|nserver|dns|domain servers in listed order|host ?name)$/,
  status: /^(domain )?(status|state)$/,
} as const;

const free =
  /^(%+|\*+|>+)?\s*(no match|not found|no entries found|no data found|no object found|nothing found|no information available|domain not found|the queried object does not exist|status:\s*(free|available)|(domain )?\S+ is (free|available)|available$|object does not exist)/im;

/** The registration in a server's text; undefined: it tells nothing about one. */
export function readWhois(text: string): Registration | undefined {
  const pairs = pairsOf(text);
  const firstOf = (pattern: RegExp) => pairs.find(([key]) => pattern.test(key))?.[1];
  const allOf = (pattern: RegExp) => pairs.filter(([key]) => pattern.test(key)).map(([, value]) => value);
  const time = (pattern: RegExp) => {
    const value = firstOf(pattern);
    return value === undefined ? undefined : readDate(value);
  };
  const nameServers = hostNames(allOf(keys.nameServer).map((value) => value.split(/[\s,]/)[0] ?? ''));
  const statuses = allOf(keys.status)
    .slice(0, maxTexts)
    .map((value) => shortText(value.replace(/\s*\(?https?:\/\/\S*$/, '')))
    .filter((value) => value !== '');
  const expiresMs = time(keys.expires);
  const registrar = firstOf(keys.registrar);
  const isFree =
    statuses.some((status) => /^(free|available)$/i.test(status)) || free.test(text.slice(0, 4096));
  const isKnown = expiresMs !== undefined || registrar !== undefined || nameServers.length > 0;
  if (isFree && !isKnown) return { kind: 'free' };
  if (!isKnown && statuses.length === 0) return undefined;
  const signed = firstOf(/^dnssec$/)?.toLowerCase();
  return {
    kind: 'registered',
    record: {
      source: 'WHOIS',
      registrar: registrar === undefined ? undefined : shortText(registrar),
      registeredMs: time(keys.registered),
      changedMs: time(keys.changed),
      expiresMs,
      nameServers,
      statuses,
      isSigned: signed === undefined ? undefined : /^(signed|yes)/.test(signed),
    },
  };
}

/** The value of a key in a text such as the one of whois.iana.org. */
export function whoisValue(text: string, key: string): string | undefined {
  return pairsOf(text).find(([name]) => name === key)?.[1];
}

/** `Key: value`, `[Key] value`, or a key whose values are on the next, indented lines. Keys in lower case. */
function pairsOf(text: string): readonly (readonly [key: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  let openKey: string | undefined;
  for (const line of text.split(/\r?\n/, maxLines)) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[%#>*]/.test(trimmed)) {
      openKey = undefined;
      continue;
    }
    const [, key, value] =
      /^\[([^\]]{1,60})\]\s*(.*)$/.exec(trimmed) ??
      /^([^:]{1,60}?)[ .\t]*:(?:[ \t]+(.*))?$/.exec(trimmed) ??
      [];
    if (key !== undefined) {
      const name = key.replace(/^[a-z]\. /, '').toLowerCase();
      if (value === undefined || value === '') openKey = name;
      else {
        pairs.push([name, value]);
        openKey = undefined;
      }
    } else if (openKey !== undefined && /^\s/.test(line)) pairs.push([openKey, trimmed]);
  }
  return pairs;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * A date of a registry: ISO 8601, 2026-11-30, 2026.11.30, 2026/11/30, 20261130, 30-Nov-2026, 30.11.2026. Undefined for
 * what is unknown, and for 03/04/2026, which has two meanings.
 */
export function readDate(text: string): number | undefined {
  const value = text.trim().toLowerCase();
  const year = /^(\d{4})[-./]?(\d{2})[-./]?(\d{2})(?=$|\D)/.exec(value);
  if (year) {
    const exact = /^\d{4}-\d{2}-\d{2}t/.test(value)
      ? Date.parse(value.toUpperCase().split(' ')[0] ?? '')
      : Number.NaN;
    return Number.isNaN(exact) ? dateOf(year[1], year[2], year[3]) : exact;
  }
  const named = /^(\d{1,2})[-. ]([a-z]{3})[a-z]*[-. ](\d{4})/.exec(value);
  if (named) return dateOf(named[3], String(months.indexOf(named[2] ?? '') + 1), named[1]);
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})/.exec(value);
  return dotted ? dateOf(dotted[3], dotted[2], dotted[1]) : undefined;
}

function dateOf(year = '', month = '', day = ''): number | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const date = new Date(Date.UTC(y, m - 1, d));
  const isReal = date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  return isReal ? date.getTime() : undefined;
}
