import { dayUs, minuteUs } from '@vantage/domain';

/** The lifetime of an agent certificate. */
export const agentCertificateUs = 7 * dayUs;

/** Certificates of agents begin this much earlier than they are signed, for controllers whose clocks are behind. */
export const agentCertificateEarlierUs = 5 * minuteUs;
