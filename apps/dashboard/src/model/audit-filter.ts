import { type AuditKind, kindNames } from './audit-words.ts';
import { isId } from './list-filter.ts';

/** The filters of the audit, as in the address. */
export interface AuditFilter {
  readonly actor: string;
  readonly kind: AuditKind | '';
  readonly action: (typeof actions)[number] | '';
  /** Days in the account's zone: `2026-02-25`. */
  readonly from: string;
  readonly to: string;
  /** The id of a thing: its history. */
  readonly Object: string;
}

const actions = ['Create', 'Update', 'Delete', 'Refuse'] as const;
const isKind = (text: string): text is AuditKind => Object.hasOwn(kindNames, text);
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** Reads the filters from an address. An invalid value counts as absent. */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const textOf = (name: string) => query.get(name) ?? '';
  const kind = textOf('kind');
  return {
    actor: textOf('actor').slice(0, 200),
    kind: isKind(kind) ? kind : '',
    action: actions.find((action) => action === textOf('action')) ?? '',
    from: isDay(textOf('from')) ? textOf('from') : '',
    to: isDay(textOf('to')) ? textOf('to') : '',
    Object: isId(textOf('Object')) ? textOf('Object') : '',
  };
}

/** The address with these filters. */
export function auditAddress(filter: AuditFilter): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  return set.length === 0
    ? '/audit'
    : `/audit?${new URLSearchParams(set.map(([key, value]) => [key, value]))}`;
}

/** The parameters of the API for these filters. */
export function auditQuery({ actor, kind, action, from, to, Object: Id }: AuditFilter) {
  return {
    ...(actor === '' ? {} : { Actor: actor }),
    ...(kind === '' ? {} : { Kind: [kind] }),
    ...(action === '' ? {} : { Action: [action] }),
    ...(Id === '' ? {} : { Id }),
    ...(from === '' ? {} : { Timestamp1: `${from}T00:00:00` }),
    ...(to === '' ? {} : { Timestamp2: `${to}T23:59:59` }),
  };
}
