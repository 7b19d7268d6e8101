import { contactTypeOf, contactTypes } from '@vantage/alerts';
import { isMask, type Json } from '@vantage/domain';
import type { Problem, Settings } from './kinds.ts';
import type { Wanted } from './wanted.ts';

/** An Address as the API shows it: credentials are `***`. What is no Address of its Type stays as it is. */
export function shownAddress({ Type }: Settings, address: Json | undefined): Json {
  const type = typeof Type === 'string' ? contactTypeOf(Type) : undefined;
  if (type === undefined || typeof address !== 'string') return address ?? null;
  return contactTypes[type].show(address);
}

/** Refuses masks in Addresses that the account does not show just so: there is nothing that they could stand for. */
export function judgeContacts(wanted: readonly Wanted[]): readonly Problem[] {
  return wanted.flatMap(({ entry, settings, thing }) => {
    const { Address } = settings;
    const isMasked = typeof Address === 'string' && Address.split(/[/:@?&=]/).some(isMask);
    if (entry.kind !== 'contact' || !isMasked || thing?.settings['Address'] === Address) return [];
    const text = `Address holds the mask ***; write \${env:NAME}, and set the variable when you apply the file`;
    return [{ at: entry.at('Address'), text }];
  });
}
