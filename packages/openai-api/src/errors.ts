/** What the API's clients are told. */
export interface ApiProblem {
  readonly status: number;
  readonly message: string;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** A request that this API cannot carry out. It changes nothing. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
  readonly param: string | undefined;
  readonly code: string;

  constructor(message: string, { param, code = "invalid_value" }: { readonly param?: string; readonly code?: string } = {}) {
    super(message);
    this.param = param;
    this.code = code;
  }
}

const typeOf = (status: number): string => {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
};

export const errorBody = ({ status, message, code, param }: ApiProblem) => ({
  error: { message, type: typeOf(status), param: param ?? null, code: code ?? null },
});

/** An error in OpenAI's shape. */
export function errorResponse(problem: ApiProblem): Response {
  const { status } = problem;
  const headers = new Headers({ "cache-control": "no-store" });
  // Their client repeats every conflict; ours are final.
  if (status < 500 && status !== 429) headers.set("x-should-retry", "false");
  return Response.json(errorBody(problem), { status, headers });
}
