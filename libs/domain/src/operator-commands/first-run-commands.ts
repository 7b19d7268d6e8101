import { z } from 'zod';
import { credential } from './command-fields.ts';

export const firstRunCommands = {
  /**
   * The first start of a system on one machine, and each later one: the credentials that the data folder keeps are in
   * force afterwards.
   */
  'first-run.provision': {
    request: z.strictObject({
      api_key_ua: credential.optional(),
      api_key_uw: credential.optional(),
      api_key_ur: credential.optional(),
      agent_token: credential.optional(),
      agent_name: z.string(),
      has_agent_folder: z.boolean().describe("Whether the agent's folder remembers the agent's sessions."),
    }),
    answer: z
      .object({ api_key_uw: credential, api_key_ur: credential, agent_token: credential })
      .extend({ api_key_ua: credential.optional() }),
  },
  'first-run.await-agent': {
    request: z.strictObject({
      agent_token: credential,
      within_ms: z.int().min(0).max(60_000),
    }),
    answer: z.object({ connected: z.boolean() }),
  },
} as const;
