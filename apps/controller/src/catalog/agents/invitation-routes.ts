import { addressesOf, invitationMinutes } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { idField, lineField, timestampField } from '@vantage/rest-kit/field';
import { conflict, Problem, problemCode } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import type { Conflict } from '../../resources/refusal.ts';
import { accepted } from '../../resources/refusal.ts';
import { inviteAgentTo } from './invite-agent.ts';

/** Checks that agents can connect at the address of the agents' port, before anything is written. */
export type PlanInvitation = (
  /** Addresses of the inviter's choice, `https://host:port`; absent: those of the controller's settings. */
  chosen?: readonly string[],
) => Promise<
  | {
      readonly kind: 'ready';
      readonly urls: readonly string[];
      /** The lines that install an agent with this token. */
      readonly linesFor: (token: string) => { readonly command: string; readonly commandWget: string };
      readonly warnings: readonly string[];
    }
  | Omit<Conflict, 'reason'>
  /** The controller is building the agent's package, which the line names, since this many seconds. */
  | { readonly kind: 'making'; readonly seconds: number }
>;

/** Addresses in a line that a shell reads: a host name or an IP address, and a port. */
const endpointForm = /^https:\/\/([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;
const endpointHint = 'https://host:port, several comma-separated';

const isEndpoint = (text: string) => endpointForm.test(text) && URL.canParse(text);

const endpoint = boundedText(2_000, 1).refine(
  (text) => addressesOf(text).length > 0 && addressesOf(text).every(isEndpoint),
  endpointHint,
);

const invitation = z
  .strictObject({
    Location: boundedText(200, 1)
      .describe('Name or id of the Location at which the agent will run.')
      .meta({ example: 'Oslo' }),
    Name: lineField(200).optional().describe('Name of the agent, one line.').meta({ example: 'agent-1' }),
    Endpoint: endpoint
      .optional()
      .describe(
        "Address of the agents' port for this host: https://host:port, several comma-separated. The controller's certificate must have the name; the controller does not connect to it. Default: the address of the controller's settings.",
      )
      .meta({ example: 'https://vantage.example:8444' }),
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
    Endpoints: z
      .array(z.string())
      .describe("The addresses of the agents' port in the line.")
      .meta({ example: ['https://vantage.example:8444'] }),
    CommandWget: z.string().describe('The same for hosts with GNU wget.').meta({
      example:
        "sh -c '…wget -nv --pinnedpubkey … https://vantage.example:8444/install.sh…' install --token … --endpoint https://vantage.example:8444",
    }),
  })
  .meta({ id: 'Invitation', description: 'An invited agent, with the lines that install it on a host.' });

/** 1503: the first invitation of an agent builds the package. */
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
      handler: async ({ db, session, body: { Location: location, Name: name = '', Endpoint } }) => {
        const plan = await planInvitation(Endpoint === undefined ? undefined : addressesOf(Endpoint));
        if (plan.kind === 'making') throw beingMade(plan.seconds);
        if (plan.kind === 'conflict') throw conflict('agent_not_ready', plan.message, plan.faults);
        const { linesFor, warnings, urls } = plan;
        const asked = { accountNo: session.accountNo, location, name, nowUs: clock.nowUs() };
        const { agentId, token, expiresUs } = accepted(
          await catalog.change(db, actorOf(session), (transaction) => inviteAgentTo(transaction, asked)),
        );
        const { command, commandWget } = linesFor(token);
        const ids = { invitation_id: agentId, agent_id: agentId };
        const lines = { Command: command, CommandWget: commandWget, Endpoints: [...urls] };
        return {
          body: { ...ids, Token: token, Expires: session.zone.format(expiresUs), ...lines },
          warnings,
        };
      },
    }),
  ];
}
