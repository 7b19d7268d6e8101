/** The parts of a controller, which can run in separate processes. */
export const allRoles = ['api', 'gateway', 'worker'] as const;

/**
 * `api` serves the REST API and the page. `gateway` serves the agents' streams and stores their results. `worker`
 * plans, decides about alerts, sends notifications and runs the jobs on stored data.
 */
export type Role = (typeof allRoles)[number];
