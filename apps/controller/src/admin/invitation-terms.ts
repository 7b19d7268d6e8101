import type { OperatorRequests } from '@vantage/domain/operator-commands';
import { pinOf } from '../server/authority.ts';

/** What the operator's command says about the address of an invitation. */
export function invitationTerms(request: OperatorRequests['agents.invite']) {
  const { certificate } = request;
  return {
    url: request.endpoint,
    tlsNames: request.tls_names,
    parcels: request.parcels,
    releaseKey: request.release_key ?? undefined,
    pin: certificate === null ? undefined : pinOf(certificate),
    isChecked: request.check,
  };
}
