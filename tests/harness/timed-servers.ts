const folder = 'tests/real-servers';
const names = ['accuracy*', 'hundred-scripts', 'name-accuracy', 'ping', 'portless'];
const pattern = new RegExp(`^${folder}/(${names.join('|').replaceAll('*', '[^/]*')})\\.test\\.ts$`);

/**
 * Tests against real servers that compare times with the machine's own, as patterns of vitest. Nothing else runs beside
 * them.
 */
export const timedServerTests: readonly string[] = names.map((name) => `${folder}/${name}.test.ts`);

/** Whether a file, from the repository's root, is one of them. */
export function isTimedServerTest(file: string): boolean {
  return pattern.test(file);
}
