/** The parts of a controller that may run in processes of their own. */
export const allRoles = ['api', 'gateway', 'worker'] as const;

/**
 * `api` serves the REST API and the page; `gateway` has the agents' streams and stores their results; `worker` plans,
 * decides about alerts, sends notifications and runs the jobs on stored data.
 */
export type Role = (typeof allRoles)[number];
