/** A running server, and the checks of the table. */
export interface Place extends AsyncDisposable {
  readonly port: number;
  readonly url: (port: number) => string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly wrongPassword?: Readonly<Record<string, unknown>>;
  /** The URL that demands the password, when it is not `url`. */
  readonly privateUrl?: (port: number) => string;
  readonly wrongHostKey?: Readonly<Record<string, unknown>>;
  readonly wrongExpectation: Readonly<Record<string, unknown>>;
  /** The port and the settings for TLS; absent where the Method has no TLS. */
  readonly tls?: {
    readonly port: number;
    readonly url?: (port: number) => string;
    readonly mode: 'StartTLS' | 'Implicit';
    /** Further Options that only TLS accepts. */
    readonly options?: Readonly<Record<string, unknown>>;
  };
  /** Starts the same server with another certificate. */
  readonly again?: (certificate: 'expired' | 'wrongName') => Promise<Place>;
  /** The number of bytes after which a cut is in the middle of a good answer. */
  readonly middle: number;
}
