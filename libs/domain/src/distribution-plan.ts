import { z } from 'zod';

/** How far the history is distributed over the workers of a Citus cluster. */
export const distribution = z.object({
  citus: z.string().describe('The version of Citus.'),
  workers: z.array(z.string()).readonly(),
  tables: z
    .array(
      z.object({
        table: z.string(),
        done: z.boolean().describe('False: its rows lie on the coordinator.'),
        bytes: z.int().describe('On the coordinator.'),
      }),
    )
    .readonly(),
});
