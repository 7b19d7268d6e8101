/** Settings of a device that files and requests may leave out, and their values then. */
export const settingDefaults = {
  Timeout: 30,
  Attempts: 3,
  RetryDelay: 1,
  Severity: 'critical',
  Enabled: true,
} as const;
