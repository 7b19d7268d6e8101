import { boundedText, isZoneName, zoneName } from '@vantage/kernel';

/** The IANA name of a time zone, in a request. It is stored in its own letter case. */
export const zoneNameField = boundedText(100)
  .refine(isZoneName, 'must be the IANA name of a time zone, for example Europe/Berlin')
  .overwrite((name) => zoneName(name) ?? name);
