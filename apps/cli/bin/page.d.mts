/** Builds the page with this Node unless it is built of the present sources; says where it cannot. */
export function buildPage(given: {
  readonly root: string;
  readonly node: string;
  readonly say: (text: string) => void;
}): void;

/** Whether the built page is that of the present sources. */
export function isPageBuilt(root: string): boolean;
