declare module "@elastic/mockotlpserver" {
  export class MockOtlpServer {
    constructor(options: {
      readonly services: readonly "http"[];
      readonly httpHostname: string;
      readonly httpPort: number;
      readonly logLevel: string;
      readonly onTrace?: (request: unknown) => void;
      readonly onMetrics?: (request: unknown) => void;
      readonly onRequest?: (request: { readonly headers: Record<string, string> }) => void;
    });
    readonly httpUrl: URL;
    start(): Promise<void>;
    close(): Promise<void>;
  }
  export function normalizeTrace(request: unknown): unknown;
  export function normalizeMetrics(request: unknown): unknown;
}
