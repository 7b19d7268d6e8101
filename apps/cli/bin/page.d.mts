/** Builds the dashboard with `node` unless it is up to date. A failure is only reported. */
export function buildPage(options: {
  readonly root: string;
  readonly node: string;
  readonly say: (text: string) => void;
}): void;

/** Whether the built dashboard is up to date. */
export function isPageBuilt(root: string): boolean;
