import { dayMs } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { type DomainRecord, hostNames, plainStatus } from './domain-record.ts';

/** The expectations of the Options. */
export interface DomainExpectations {
  readonly MinDaysLeft: number;
  readonly ExpectRegistrar?: string | undefined;
  readonly ExpectNameServers: readonly string[];
  readonly ExpectStatus: readonly string[];
}

/** Statuses of a domain that does not work, or that its owner is about to lose, unless they are expected. */
const badStatuses = ['serverhold', 'clienthold', 'redemptionperiod', 'pendingdelete', 'inactive'];

/** Whole days until the registration ends; negative after its end. */
export function daysLeft({ expiresMs }: DomainRecord, nowMs: number): number | undefined {
  return expiresMs === undefined ? undefined : Math.floor((expiresMs - nowMs) / dayMs);
}

export function showDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** The expectations that a registration does not meet. Pure. */
export function domainFaults(
  record: DomainRecord,
  expected: DomainExpectations,
  nowMs: number,
): readonly string[] {
  return [
    ...expiryFaults(record, expected.MinDaysLeft, nowMs),
    ...statusFaults(record, expected.ExpectStatus),
    ...registrarFaults(record, expected.ExpectRegistrar),
    ...nameServerFaults(record, expected.ExpectNameServers),
  ];
}

function expiryFaults(record: DomainRecord, min: number, nowMs: number): readonly string[] {
  const days = daysLeft(record, nowMs);
  if (days === undefined)
    return min === 0
      ? []
      : [`the registry does not tell the end of the registration, so MinDaysLeft must be 0`];
  if (days < 0) return [`the registration ended ${showDays(-days - 1)} ago`.replace('0 days ago', 'today')];
  return days >= min
    ? []
    : [`the registration ends in ${showDays(days)}, at least ${showDays(min)} are expected`];
}

function statusFaults({ statuses }: DomainRecord, expected: readonly string[]): readonly string[] {
  const expectedPlain = expected.map(plainStatus);
  const found = statuses.map(plainStatus);
  const missing = expected.filter((status) => !found.includes(plainStatus(status)));
  const bad = statuses.filter((status) => {
    const plain = plainStatus(status);
    return badStatuses.includes(plain) && !expectedPlain.includes(plain);
  });
  return [
    ...bad.map((status) => `its status is ${quoteShort(status)}`),
    ...missing.map((status) => `its status is not ${quoteShort(status)}`),
  ];
}

function registrarFaults({ registrar }: DomainRecord, expected: string | undefined): readonly string[] {
  if (expected === undefined || registrar?.toLowerCase().includes(expected.toLowerCase())) return [];
  const shown = registrar === undefined ? 'not told' : quoteShort(registrar);
  return [`its registrar is ${shown}, expected ${quoteShort(expected)}`];
}

function nameServerFaults({ nameServers }: DomainRecord, expected: readonly string[]): readonly string[] {
  const expectedNames = hostNames(expected);
  if (expectedNames.length === 0 || expectedNames.join() === nameServers.join()) return [];
  const shown = nameServers.length === 0 ? 'not told' : quoteShort(nameServers.join(', '), 300);
  return [`its name servers are ${shown}, expected ${quoteShort(expectedNames.join(', '), 300)}`];
}
