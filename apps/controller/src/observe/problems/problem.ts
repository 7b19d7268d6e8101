/** Kinds of alerts about the installation itself; each account is notified. */
type ProblemKind = 'clock.wrong' | 'disk.low' | 'backup.old';

/** A problem that an operator has to see to. */
export interface Problem {
  readonly kind: ProblemKind;
  /** One sentence for people. */
  readonly reason: string;
  /** Only these accounts are notified; undefined: all. */
  readonly accountNos?: readonly number[] | undefined;
}
