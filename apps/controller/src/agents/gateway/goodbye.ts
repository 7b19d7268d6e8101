import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type ConnectResponse, ConnectResponseSchema, Goodbye_Reason } from '@vantage/proto';

/** Why an agent may not connect until an operator acts. */
export type Banned = 'revoked' | 'fenced';

/** Refuses an agent whose token is known: sends a Goodbye with the reason, then ends the stream with the status. */
export async function* sendAway(
  kind: Banned,
  { agentId }: { readonly agentId: string },
): AsyncGenerator<ConnectResponse, never> {
  const { reason, text } = goodbyeOf(kind, agentId);
  yield create(ConnectResponseSchema, { message: { case: 'goodbye', value: { reason, text } } });
  throw new ConnectError(text, Code.PermissionDenied);
}

/** The Goodbye of a banned agent. */
export function goodbyeOf(kind: Banned, agentId: string) {
  switch (kind) {
    case 'revoked':
      return { reason: Goodbye_Reason.REVOKED, text: 'this agent was revoked' };
    case 'fenced':
      return {
        reason: Goodbye_Reason.FENCED,
        text: `its identity is used twice, or its folder is an old one; when only one process is left: ./vantage agents unfence ${agentId}`,
      };
  }
}
