/** Severities of an outage, worst first. Steps of notification schedules select by them. */
export const severities = ['critical', 'warning', 'info'] as const;

export type Severity = (typeof severities)[number];
