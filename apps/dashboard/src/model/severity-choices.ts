import type { Severity } from '@vantage/domain';

// The domain's own list is not imported, because its index would bring Node's modules into the page.
/** The severities of a device, the worst first. */
export const severityChoices = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
