import { invitationMinutes } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { z } from 'zod';
import { idField, lineField, timestampField } from '../../rest/http/field.ts';
import { conflict, Problem, problemCode } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import type { Conflict } from '../refusal.ts';
import { accepted } from '../refusal.ts';
import { inviteAgentTo } from './write.ts';

/** Checks that agents can connect at the address of the agents' port, before anything is written. */
export type PlanInvitation = () => Promise<
  | {
      readonly kind: 'ready';
      /** The lines that install an agent with this token. */
      readonly linesFor: (token: string) => { readonly command: string; readonly commandWget: string };
      readonly warnings: readonly string[];
    }
  | Omit<Conflict, 'reason'>
  /** The controller makes the agent's package, which the line names, for so long already. */
  | { readonly kind: 'making'; readonly seconds: number }
>;

const invitation = z
  .strictObject({
    Location: boundedText(200, 1)
      .describe('Name or id of the Location at which the agent will run.')
      .meta({ example: 'Oslo' }),
    Name: lineField(200).optional().describe('Name of the agent, one line.').meta({ example: 'agent-1' }),
  })
  .meta({ id: 'NewInvitation', description: 'An agent to invite.' });

const invited = z
  .strictObject({
    invitation_id: idField.describe('The id of the agent that the invitation made.'),
    agent_id: idField,
    Token: z
      .string()
      .describe('Enrols the agent, once. No later answer shows it.')
      .meta({ example: '5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e4' }),
    Expires: timestampField.describe('After this the token is refused.'),
    Command: z.string().describe('The line that installs the agent, for hosts with curl.').meta({
      example:
        "sh -c '…curl -sSk --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444",
    }),
    CommandWget: z.string().describe('The same for hosts with GNU wget.').meta({
      example:
        "sh -c '…wget -nv --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444",
    }),
  })
  .meta({ id: 'Invitation', description: 'An invited agent, with the lines that install it on a host.' });

/** 1503: the package is made once, when somebody first invites an agent. */
function beingMade(seconds: number): Problem {
  return new Problem(
    problemCode.unavailable,
    `The controller makes the package of the agent, once; this takes about half a minute (${seconds} s so far). Ask again.`,
    { headers: { 'Retry-After': '5' } },
  );
}

/** Inviting agents. */
export function invitationRoutes({
  catalog,
  clock,
  planInvitation,
}: {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly planInvitation: PlanInvitation;
}): Route[] {
  return [
    route({
      method: 'POST',
      path: '/agents/invitations',
      level: 'UW',
      tag: 'Agents',
      summary: 'Invites an agent: makes it, and a line that installs it on a host.',
      description: `The line works as it stands on a host that reaches the port of the agents only. Its token is good for one agent and for ${invitationMinutes} minutes. 1005 says which setting the controller needs so that agents can come in. 1503 with Retry-After: a controller in a clone makes the package of the agent at the first invitation of a version; ask again.`,
      subject: noSubject,
      names: { root: 'invitation', id: 'invitation_id' },
      body: invitation,
      response: invited,
      handler: async ({ session, body: { Location: location, Name: name = '' } }) => {
        const plan = await planInvitation();
        if (plan.kind === 'making') throw beingMade(plan.seconds);
        if (plan.kind === 'conflict') throw conflict('agent_not_ready', plan.message, plan.faults);
        const { linesFor, warnings } = plan;
        const asked = { accountNo: session.accountNo, location, name, nowUs: clock.nowUs() };
        const { agentId, token, expiresUs } = accepted(
          await catalog.change(actorOf(session), (transaction) => inviteAgentTo(transaction, asked)),
        );
        const { command, commandWget } = linesFor(token);
        const ids = { invitation_id: agentId, agent_id: agentId };
        const lines = { Command: command, CommandWget: commandWget };
        return {
          body: { ...ids, Token: token, Expires: session.zone.format(expiresUs), ...lines },
          warnings,
        };
      },
    }),
  ];
}
