import { changeAgent, type SentAgent } from '../catalog/agents/write.ts';
import type { ChangeTransaction } from '../catalog/change.ts';
import { refusalText } from '../catalog/refusal.ts';
import { drop, noAgent } from './fault.ts';

/** Changes an agent, and answers with the request; throws a Fault when it cannot be done. */
export async function alterAgent<T extends { readonly agent_id: string }>(
  transaction: ChangeTransaction,
  request: T,
  { sent, nowUs }: { readonly sent: SentAgent; readonly nowUs: number },
): Promise<T> {
  const changed = await changeAgent(transaction, { agentId: request.agent_id }, { sent, nowUs });
  if (changed.kind === 'missing') throw noAgent(request.agent_id);
  if (changed.kind !== 'changed')
    throw drop(changed.kind === 'conflict' ? 'agent_revoked' : 'no_location', refusalText(changed));
  return request;
}
