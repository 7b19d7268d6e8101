/** The recorded files of a package, by their paths in it, each with its SHA-256. */
export function recordedOf(name: string): readonly { readonly digest: string; readonly file: string }[];

/** What is wrong with the content of a recorded file of a package; undefined: nothing. */
export function problemOfFile(name: string, file: string, data: Uint8Array): string | undefined;

/** What is wrong with the recorded files of a package that lie in `folder`; undefined: nothing. */
export function problemOfFolder(given: {
  readonly name: string;
  readonly folder: string;
  /** The folder's path in the package, with a slash at its end; absent: it is the package's folder. */
  readonly under?: string;
  /** The file that remembers the comparison. */
  readonly marker: string;
}): string | undefined;
