/** How bad an outage of a device is, worst first. Steps of notification schedules choose by it. */
export const severities = ['critical', 'warning', 'info'] as const;

/** One of `severities`. */
export type Severity = (typeof severities)[number];
