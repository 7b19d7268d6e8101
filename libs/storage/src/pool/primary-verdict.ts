/** An answer of the primary to the watch. */
export type PrimaryAnswer =
  /** `server`: its run (`serverRun`); undefined: it refused the question, so it is there. */
  | { readonly kind: 'answered'; readonly server: string | undefined }
  /** Over a new connection, while the kept one stayed silent. */
  | { readonly kind: 'answered-anew'; readonly server: string | undefined }
  /** Its host refused the connection or ended it, as it did with every other connection. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent'; readonly reason: string };

/** The state of the watch. `server`: the run of the server that answered last. */
export interface PrimaryState {
  readonly isSilent: boolean;
  readonly server: string | undefined;
}

/** The next state, the connections to cut, and whether a silence begins or ends. */
interface PrimaryStep {
  readonly state: PrimaryState;
  /** `older`: those that were opened before the question. `elsewhere`: those to other runs of the server. */
  readonly cut: 'older' | 'elsewhere' | 'none';
  readonly says: readonly ('silent' | 'answers')[];
}

/**
 * Decides after each question. Pure.
 *
 * | answer | before: it answered | before: it was silent |
 * |---|---|---|
 * | answered | another server has its name: cut the connections to the old one | the silence ends |
 * | answered anew | the open connections lead nowhere: cut them | the silence ends |
 * | refused | – (its host ended all connections itself) | – |
 * | silent | the silence begins: cut all | – |
 */
export function decidePrimary(before: PrimaryState, answer: PrimaryAnswer): PrimaryStep {
  switch (answer.kind) {
    case 'refused':
      return { state: before, cut: 'none', says: [] };
    case 'silent':
      return {
        state: { ...before, isSilent: true },
        cut: before.isSilent ? 'none' : 'older',
        says: before.isSilent ? [] : ['silent'],
      };
    case 'answered':
    case 'answered-anew': {
      const { server = before.server } = answer;
      const isLost = answer.kind === 'answered-anew' && !before.isSilent;
      const isAnother = before.server !== undefined && server !== before.server;
      return {
        state: { isSilent: false, server },
        cut: isLost ? 'older' : isAnother ? 'elsewhere' : 'none',
        says: isLost ? ['silent', 'answers'] : before.isSilent ? ['answers'] : [],
      };
    }
  }
}
