/**
 * Stands for the controllers where an agent and its Location are named: they receive the calls of Push devices. No
 * agent and no Location has these numbers.
 */
export const receiver = { agentNo: 0, locationNo: 0 } as const;
