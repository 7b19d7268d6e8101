/** Rooms of the controller whose folders are steps of their own; any other folder is one step. */
const groups = ['agents', 'results', 'alerts', 'observe'] as const;
const stepPath = new RegExp(`^apps/controller/src/(?:(?:${groups.join('|')})/)?([^/]+)/`);

/**
 * The step of the controller to which a file belongs (`gateway` of `agents/gateway/agent-session.ts`), or the library
 * that writes tables for it.
 */
export function stepOf(file: string): string | undefined {
  return stepPath.exec(file)?.[1] ?? /^libs\/(storage|rest-kit)\//.exec(file)?.[1];
}
