import { z } from 'zod';

/** The message of a controller that serves: where its ports, certificates and database are. */
export const readyMessage = z.object({
  type: z.literal('ready'),
  base_url: z.string(),
  agent_endpoint: z.string(),
  ca_file: z.string(),
  agent_ca_file: z.string(),
  database_url: z.string(),
});
export type Ready = z.infer<typeof readyMessage>;

/** The message of an agent that may not ping; `text`: the right that is missing. */
export const pingFaultMessage = z.object({ type: z.literal('ping-fault'), text: z.string() });

/** The message for each step of its start. */
export const progressMessage = z.object({ type: z.literal('progress'), text: z.string() });
