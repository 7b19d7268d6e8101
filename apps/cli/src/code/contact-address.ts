import { contactTypeOf, contactTypes } from '@vantage/alerts';
import { isMask, type Json } from '@vantage/domain';
import type { DesiredResource } from './desired-resource.ts';
import type { FileProblem, ResourceSettings } from './managed-kinds.ts';

/** An Address as the API shows it, with `***` for credentials. A text that is not an Address of its Type stays. */
export function shownAddress({ Type }: ResourceSettings, address: Json | undefined): Json {
  const type = typeof Type === 'string' ? contactTypeOf(Type) : undefined;
  if (type === undefined || typeof address !== 'string') return address ?? null;
  return contactTypes[type].show(address);
}

/** Rejects an Address with a mask, unless the account shows the same: the credential behind the mask is not known. */
export function contactProblems(desired: readonly DesiredResource[]): readonly FileProblem[] {
  return desired.flatMap(({ entry, settings, resource }) => {
    const { Address } = settings;
    const isMasked = typeof Address === 'string' && Address.split(/[/:@?&=]/).some(isMask);
    if (entry.kind !== 'contact' || !isMasked || resource?.settings['Address'] === Address) return [];
    const text = `Address has the mask ***; write \${env:NAME}, and set the variable when you apply the file`;
    return [{ at: entry.at('Address'), text }];
  });
}
