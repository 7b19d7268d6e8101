/** Folders of the controller that only group steps, in the order in which a check comes by. */
const groups = ['agents', 'checks', 'status', 'alerts', 'rest', 'observe', 'platform'] as const;
const stepPath = new RegExp(`^apps/controller/src/(?:(?:${groups.join('|')})/)?([^/]+)/`);

/** The step of the controller to which a file belongs: `gateway` of `apps/controller/src/agents/gateway/store.ts`. */
export function stepOf(file: string): string | undefined {
  return stepPath.exec(file)?.[1];
}
