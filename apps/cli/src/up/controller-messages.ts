import { z } from 'zod';

/** The controller's message once it serves, with its ports, certificates and database. */
export const readyMessage = z.object({
  type: z.literal('ready'),
  base_url: z.string(),
  agent_endpoint: z.string(),
  ca_file: z.string(),
  agent_ca_file: z.string(),
  database_url: z.string(),
});
export type Ready = z.infer<typeof readyMessage>;

/** The agent's message where it may not ping. `text` is the missing right. */
export const pingFaultMessage = z.object({ type: z.literal('ping-fault'), text: z.string() });

/** The message of a step of the start. */
export const progressMessage = z.object({ type: z.literal('progress'), text: z.string() });
