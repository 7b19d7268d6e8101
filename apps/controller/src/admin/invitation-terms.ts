import { addressesOf } from '@vantage/domain';
import type { OperatorRequests } from '@vantage/domain/operator-commands';
import { pinOf } from '../server/public-key-pin.ts';

/** The terms of an invitation in the operator's command. */
export function invitationTerms(request: OperatorRequests['agents.invite']) {
  const { certificate } = request;
  return {
    urls: addressesOf(request.endpoint),
    tlsNames: request.tls_names,
    parcels: request.parcels,
    releaseKey: request.release_key ?? undefined,
    pin: certificate === null ? undefined : pinOf(certificate),
    isChecked: request.check,
  };
}
