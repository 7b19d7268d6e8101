/** The maximum number of things of each kind in an account. `VANTAGE_ACCOUNT_LIMITS` overrides it. */
export const defaultLimits = {
  devices: 100_000,
  tags: 10_000,
  locations: 1_000,
  agents: 10_000,
  secrets: 1_000,
  contacts: 1_000,
  nschedules: 200,
  mschedules: 200,
  keys: 1_000,
  users: 1_000,
  hooks: 100,
  pages: 100,
  reports: 100,
} as const;

export type LimitedKind = keyof typeof defaultLimits;
export type AccountLimits = Readonly<Record<LimitedKind, number>>;
