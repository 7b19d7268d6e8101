/** The part of net-snmp that the probe uses; the package has no types. */
declare module 'net-snmp' {
  export interface LibraryVarbind {
    readonly oid: string;
    readonly type: number;
    readonly value: unknown;
  }

  type Answered<T> = (error: Error | null, varbinds: readonly T[]) => void;

  export interface LibrarySession {
    on(event: 'error', listener: (error: unknown) => void): unknown;
    get(oids: readonly string[], answered: Answered<LibraryVarbind>): unknown;
    getNext(oids: readonly string[], answered: Answered<LibraryVarbind>): unknown;
    getBulk(
      oids: readonly string[],
      nonRepeaters: number,
      maxRepetitions: number,
      answered: Answered<LibraryVarbind | readonly LibraryVarbind[]>,
    ): unknown;
    /** Reads a datagram; calls back the request that it answers, or sends the next message of a v3 exchange. */
    onMsg(bytes: Buffer): void;
    cancelRequests(error: Error): void;
  }

  /** The socket of a session. */
  export interface LibrarySocket {
    on(event: string, listener: unknown): unknown;
    ref(): unknown;
    unref(): unknown;
    close(): void;
    send(
      bytes: Buffer,
      offset: number,
      length: number,
      port: number,
      address: string,
      sent: (error: Error | null) => void,
    ): void;
  }

  interface SessionOptions {
    readonly retries: number;
    readonly timeout: number;
    readonly context?: string;
    readonly version?: number;
    readonly dgramModule: { createSocket(type: string): LibrarySocket };
  }

  export interface LibraryUser {
    readonly name: string;
    readonly level: number;
    readonly authProtocol?: number | undefined;
    readonly authKey?: string | undefined;
    readonly privProtocol?: number | undefined;
    readonly privKey?: string | undefined;
  }

  type Names<Name extends string> = Readonly<Record<Name, number>>;

  export interface NetSnmp {
    createSession(target: string, community: string, options: SessionOptions): LibrarySession;
    createV3Session(target: string, user: LibraryUser, options: SessionOptions): LibrarySession;
    readonly Version1: number;
    readonly Version2c: number;
    readonly SecurityLevel: Names<'noAuthNoPriv' | 'authNoPriv' | 'authPriv'>;
    readonly AuthProtocols: Names<'md5' | 'sha' | 'sha224' | 'sha256' | 'sha384' | 'sha512'>;
    readonly PrivProtocols: Names<'des' | 'aes' | 'aes256b' | 'aes256r'>;
    readonly ObjectType: Names<
      | 'Integer'
      | 'OctetString'
      | 'OID'
      | 'IpAddress'
      | 'Counter'
      | 'Gauge'
      | 'TimeTicks'
      | 'Counter64'
      | 'NoSuchObject'
      | 'NoSuchInstance'
      | 'EndOfMibView'
    >;
    /** Derived keys by protocol, password and engine. It grows without a bound. */
    readonly Authentication: {
      authToKeyCache: Record<string, Buffer>;
      passwordToKey(authProtocol: number, password: string, engineID: Buffer): Buffer;
    };
    readonly Encryption: { readonly algorithms: Record<number, PrivAlgorithm> };
  }

  export interface PrivEngine {
    readonly engineID: Buffer;
  }

  interface PrivAlgorithm {
    encryptPdu(
      scopedPdu: Buffer,
      protocol: number,
      password: string,
      authProtocol: number,
      engine: PrivEngine,
    ): { readonly encryptedPdu: Buffer; readonly msgPrivacyParameters: Buffer };
    decryptPdu(
      encryptedPdu: Buffer,
      protocol: number,
      salt: Buffer,
      password: string,
      authProtocol: number,
      engine: PrivEngine,
    ): Buffer;
  }

  const netSnmp: NetSnmp;
  export default netSnmp;
}
