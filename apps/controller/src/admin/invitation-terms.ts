import type { OperatorRequests } from '@vantage/domain/operator-commands';
import type { Clock } from '@vantage/kernel';
import { createOwnParcel, makeOwnParcel } from '../enrol/index.ts';
import { pinOf } from '../server/authority.ts';

/** The terms of an invitation, from the operator's command. */
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

/** Has the agent's package made first, where the operator asks for it; the progress goes to standard error. */
export async function makeMissingParcel(
  { parcels: folder, makes_parcel: isWanted }: OperatorRequests['agents.invite'],
  clock: Pick<Clock, 'monoMs'>,
): Promise<void> {
  const parcel = createOwnParcel({ folder, isWanted, clock });
  await makeOwnParcel(parcel, (text) => void process.stderr.write(`vantage: ${text}\n`));
}
